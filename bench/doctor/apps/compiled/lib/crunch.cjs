'use strict'
// A default export without a name.
Object.defineProperty(exports, '__esModule', { value: true })
exports.default = crunch
function crunch({ seed }) {
  let sum = seed
  for (let i = 0; i < 200_000; i++) sum = (sum * 31 + i) % 1_000_003
  return sum
}

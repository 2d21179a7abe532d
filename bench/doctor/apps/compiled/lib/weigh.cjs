'use strict'
// A function with a constant that its file exports.
exports.BASE = void 0
exports.weigh = weigh
const kind_1 = require('./kind.cjs')
exports.BASE = 31
function weigh(seed, kind) {
  let sum = seed
  const rounds = kind === kind_1.Kind.Long ? 300_000 : 50_000
  for (let i = 0; i < rounds; i++) sum = (sum * exports.BASE + i) % 1_000_003
  return sum
}

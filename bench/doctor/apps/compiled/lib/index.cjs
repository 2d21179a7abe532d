'use strict'
// A barrel.
var __exportStar = function (from, to) {
  for (const name in from)
    if (!(name in to))
      Object.defineProperty(to, name, {
        enumerable: true,
        get: function () {
          return from[name]
        },
      })
}
exports.Kind = void 0
__exportStar(require('./weigh.cjs'), exports)
var kind_1 = require('./kind.cjs')
Object.defineProperty(exports, 'Kind', {
  enumerable: true,
  get: function () {
    return kind_1.Kind
  },
})

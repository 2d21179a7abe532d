'use strict'
// An enum.
exports.Kind = void 0
var Kind
;(function (Kind) {
  Kind['Short'] = 'short'
  Kind['Long'] = 'long'
})(Kind || (exports.Kind = Kind = {})) // eslint-disable-line no-useless-assignment -- as TypeScript writes it

'use strict'
const { spin } = require('../spin.cjs')
const pad = (text) => text.padStart(4, '0')
exports.monthly = (month) => ({ name: pad(`${month}`), sum: spin(month) })
exports.yearly = function (year) {
  return { name: exports.titleOf(year), sum: spin(year) }
}
exports.titleOf = (year) => `Year ${year}`
module.exports.daily = daily
function daily(day) {
  return { name: pad(`${day}`), sum: spin(day) }
}

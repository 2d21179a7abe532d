const { spin } = require('../spin.cjs')
const { rates: table, rateOf } = require('./rates')
const render = require('./render')
const steady = require('./steady')

exports.gross = (country, net) => ({
  rate: rateOf(country),
  known: Object.keys(table).length,
  sum: spin(net),
})
exports.page = (text) => ({ html: render.page(text), sum: spin(text.length) })
exports.steady = (text) => ({ text: steady(text), sum: spin(text.length) })
exports.own = function own(text) {
  if (text === 'rare') exports.asked = (exports.asked || 0) + 1
  return { asked: text === 'rare' ? exports.asked : 0, sum: spin(text.length) }
}

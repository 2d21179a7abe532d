const { spin } = require('../spin.cjs')

const card = ({ title, price = 3, tags: [first] }) => `${title} ${price} ${first} ${spin(price)}`
const sums = (rate, ...prices) => rate * prices.reduce((a, b) => a + b, 0) + 0 * spin(rate)
const label = (text, { upper = false, ends: { left = '<', right = '>' } = {} } = {}) =>
  `${left}${upper ? text.toUpperCase() : text}${right}${spin(text.length) % 10}`
const pair = ([first, [second = 2] = [], ...rest], key = 'k') => ({
  [key]: first + second + rest.length,
  sum: spin(first),
})
function mixed({ id, ...fields }, [head], last = id) {
  return { id, fields: Object.keys(fields), head, last, sum: spin(id) }
}
const counted = (...[first, second = first]) => first + second + 0 * spin(first)
const keyed = ({ ['na' + 'me']: name, 2: two = 'two' }) => `${name} ${two} ${spin(name.length)}`
const none = () => spin(3)
module.exports = { card, sums, label, pair, mixed, counted, keyed, none }

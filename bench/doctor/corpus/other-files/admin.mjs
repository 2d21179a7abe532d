import * as data from './data.mjs'
const apply = (target, change) => {
  for (const [key, value] of Object.entries(change)) target[key] = value
}
export const admin = {
  price: ({ sku, price }) => ({ size: data.prices.set(sku, Number(price)).size }),
  currency({ to }) {
    apply(data.options, { currency: to })
    return { to }
  },
  block: ({ word }) => {
    const { blocked: list } = data
    return { size: list.push(word) }
  },
}

export const prices = new Map([
  ['a', 3],
  ['b', 5],
])
export const options = { currency: 'EUR', sizes: { small: 1 } }
export const blocked = ['x']
export const frozen = { small: 1, large: 2 }

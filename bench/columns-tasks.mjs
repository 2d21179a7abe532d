// Tasks of bench/columns.mjs.
export const valueOf = ({ price, quantity }) => Math.log1p(price) * Math.sqrt(quantity) + Math.sin(price)

/** The same for the rows from here to there, into a column of results. */
export function valuesOf({ price, quantity, value, from, to }) {
  for (let i = from; i < to; i++)
    value[i] = Math.log1p(price[i]) * Math.sqrt(quantity[i]) + Math.sin(price[i])
}

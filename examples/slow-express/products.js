const products = Array.from({ length: 50_000 }, (_, id) => ({
  id,
  name: `product ${id}`,
  cents: 100 + ((id * 7919) % 90_000),
}))

/** The cheapest of a page, with their tax. */
export function cheapest(count) {
  const rows = products.map((product) => ({ ...product }))
  const taxed = rows.map((row) => ({ ...row, tax: Math.round(row.cents * 0.19) }))
  const priced = taxed.map((row) => ({ ...row, total: row.cents + row.tax }))
  return priced.filter(({ total }) => total < 1000).slice(0, count)
}

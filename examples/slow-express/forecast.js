/** How likely the stock is to run out, from 20,000 simulated months. */
export function forecast({ stock, dailySales, days }) {
  const runs = 20_000
  let state = 1
  let empty = 0
  for (let run = 0; run < runs; run++) {
    let left = stock
    for (let day = 0; day < days; day++) {
      state = (state * 48_271) % 2_147_483_647
      left += dailySales - (2 * dailySales * state) / 2_147_483_647
    }
    if (left < 0) empty++
  }
  return { risk: empty / runs }
}

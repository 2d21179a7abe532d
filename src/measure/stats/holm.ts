// Holm's correction: with many comparisons at once, the chance of a single false alarm stays what one comparison has.

/**
 * Adjusted p-values in the order given: comparing one with alpha is what Holm's step-down procedure decides, under any
 * dependence between the tests (Holm, "A simple sequentially rejective multiple test procedure", Scand. J. Statistics 6,
 * 1979).
 *
 * @example
 * holm([0.01, 0.04, 0.03]) // [0.03, 0.06, 0.06]
 */
export function holm(pValues: readonly number[]): number[] {
  const ascending = pValues.map((p, index) => ({ p, index })).sort((a, b) => a.p - b.p)
  const adjusted = new Array<number>(pValues.length)
  let largest = 0
  for (const [rank, { p, index }] of ascending.entries()) {
    largest = Math.max(largest, Math.min(1, p * (pValues.length - rank)))
    adjusted[index] = largest
  }
  return adjusted
}

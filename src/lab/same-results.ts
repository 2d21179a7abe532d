// What an experiment may say about its results when every call compared its own with the expected one.

import type { MeasuredRow } from './experiment.js'

/** The sentence, unless a row was not measured or one of its calls failed: a difference is a failed call. */
export function sameResults(rows: readonly MeasuredRow[], sentence: string): string[] {
  const isSame = ({ measured, failed }: MeasuredRow) => failed === undefined && measured?.errorRate === 0
  return rows.every(isSame) ? [sentence] : []
}

// Rows as an experiment would get them, with figures that a test makes up.
import { cell } from '../measure/cells.js'

/** Fills in each row of the experiment; `figures(row)` gives { perSecond, ratio, ... } or { failed }. */
export function measuredRows(experiment, values, figures) {
  return experiment.rows(values, '/somewhere').map((row) => {
    const { failed, ...given } = figures(row)
    if (failed !== undefined) return { ...row, measured: cell({ ...row.cell, failed }), failed }
    return { ...row, measured: cell({ ...row.cell, ...given }) }
  })
}

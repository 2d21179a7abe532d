// The second table of lab matrix --server: containers of one CPU, or one container with as many CPUs and threads? What `threadwise plan` predicts
// from one process, beside what was measured.

import { startAndCalibrate } from '../../measure/plan/calibrate-server.js'
import type { Calibration } from '../../measure/plan/calibration.js'
import { formOf, rateAt } from '../../measure/plan/candidates.js'
import type { Conclusion } from '../runner/experiment.js'
import { nameLimit } from '../runner/wording.js'
import type { MatrixSpot } from './judge-server-matrix.js'

const MOST_CPUS = 4

export interface ServerToPredict {
  readonly file: string
  /** With one thread. */
  readonly env: Readonly<Record<string, string>>
  readonly signal: AbortSignal | undefined
}

export type PredictServer = (server: ServerToPredict) => Promise<Calibration>

export const predictServer: PredictServer = ({ file, env, signal = new AbortController().signal }) =>
  startAndCalibrate({
    file,
    args: [],
    env,
    paths: [{ path: '/', weight: 1 }],
    rate: Infinity,
    seed: 1,
    signal,
    onPhase: () => {},
  })

/** Nothing where it was interrupted; a remark where it cannot be predicted. */
export async function scaleUnits(
  spots: readonly MatrixSpot[],
  predict: () => Promise<Calibration>,
): Promise<Pick<Conclusion, 'tables' | 'remarks'>> {
  if (spots.length === 0) return { tables: [], remarks: [] }
  try {
    return conclude(spots, await predict())
  } catch (error) {
    return { tables: [], remarks: [`Nothing was predicted: ${(error as Error).message}`] }
  }
}

function conclude(
  spots: readonly MatrixSpot[],
  calibration: Calibration,
): Pick<Conclusion, 'tables' | 'remarks'> {
  const alone = measuredAt(spots, 1)
  const predict = (cpus: number) => rateAt(formOf(calibration, { cpus, instances: 1, threads: cpus }), 1)
  const counts = Array.from({ length: MOST_CPUS }, (_, index) => index + 1)
  const rows = counts.map((count) => {
    const containers = alone === null ? null : count * alone
    return [count, count * predict(1), containers, predict(count), measuredAt(spots, count)].map(rounded)
  })
  const table = {
    title:
      'Containers of 1 CPU and 1 thread, or one container with as many CPUs and threads: requests per second',
    columns: [
      'CPUs',
      'containers, predicted',
      'measured one, times their number',
      'threads, predicted',
      'measured',
    ],
    rows,
  }
  const { disturbed } = calibration
  const remarks =
    disturbed === null ? deviation(rows) : [`What is predicted cannot be relied on: ${disturbed}.`]
  return { tables: [table], remarks }
}

function measuredAt(spots: readonly MatrixSpot[], count: number): number | null {
  const spot = spots.find(({ threads, cell }) => threads === count && cell.cpus === count)
  const isTold =
    spot !== undefined &&
    spot.cell.failed === null &&
    spot.cell.limitedBecause === null &&
    !spot.cell.isAtLeast
  return isTold ? spot.cell.throughput.median : null
}

function deviation(rows: readonly (number | null)[][]): string[] {
  const off = rows.flatMap(([count, , , predicted, measured]) =>
    measured ? [{ count, off: predicted! / measured - 1 }] : [],
  )
  const largest = off.sort((a, b) => Math.abs(b.off) - Math.abs(a.off))[0]
  if (largest === undefined) return ['No prediction could be compared with a measurement here.']
  const percent = Math.round(100 * Math.abs(largest.off))
  return [
    `Predicted from one process: at most ${percent} % ${largest.off < 0 ? 'below' : 'above'} what was measured, at ${nameLimit(largest.count!)}.`,
  ]
}

function rounded(value: number | null): number | null {
  return value === null ? null : Math.round(value)
}

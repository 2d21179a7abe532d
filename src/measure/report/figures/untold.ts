// Gains that cannot be told: each reason once, with all tasks that it is of.

import type { DoctorPrediction } from '../../results/doctor-result.js'

export interface Untold {
  readonly tasks: readonly string[]
  readonly reason: string
}

export function untold(predictions: readonly DoctorPrediction[]): Untold[] {
  const reasons = new Set(predictions.flatMap(({ cannotTell }) => cannotTell ?? []))
  return [...reasons].map((reason) => ({
    tasks: predictions.filter(({ cannotTell }) => cannotTell === reason).map(({ task }) => task),
    reason,
  }))
}

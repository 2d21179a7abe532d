// Checks of times, in milliseconds.

import { checkOption } from '../../errors/check-options.js'

/** A day. */
export const MAX_MS = 86_400_000

export function checkMs(option: string, value: unknown): void {
  checkOption(isMs(value), option, `a number of milliseconds above 0, up to ${MAX_MS}`, value)
}

export function isMs(value: unknown): boolean {
  return typeof value === 'number' && value > 0 && value <= MAX_MS
}

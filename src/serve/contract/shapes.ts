// Checks of the shape of what comes from elsewhere: an instance, another process, a file. Each says whether a value may be used as it is.

export type Check = (value: unknown) => boolean
type Fields = Readonly<Record<string, unknown>>

export const isText: Check = (value) => typeof value === 'string'
export const isNumber: Check = (value) => typeof value === 'number' && value >= 0 && value < Infinity
export const isFlag: Check = (value) => typeof value === 'boolean'

export function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value)

/** Or not there. */
export const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value)

export const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check)

/** An object with these fields; it may have others. */
export const has =
  (checks: Readonly<Record<string, Check>>): Check =>
  (value) =>
    isRecord(value) && Object.entries(checks).every(([name, check]) => check(value[name]))

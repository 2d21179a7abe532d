// What the worker of a piscina is given.

export interface PiscinaInit {
  readonly filename: string | null
  readonly name: string
  readonly argv: readonly string[] | undefined
  readonly niceIncrement: number
  /** The workerData of the user. */
  readonly data: unknown
  /** One word of 32 bits for each call that can be aborted. */
  readonly abortWords: SharedArrayBuffer
}

/** What an abort word holds until its call is aborted or over. */
export const NOT_ABORTED = 0
export const OVER = 1

/** Of all that a task may find as its workerData. */
export function isPiscinaInit(value: unknown): value is PiscinaInit {
  return typeof value === 'object' && value !== null && 'abortWords' in value && 'niceIncrement' in value
}

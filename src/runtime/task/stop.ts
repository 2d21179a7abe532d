// How code that calls a function for many inputs learns that nobody waits for the results any more, and how many promises it may hold open.

export interface Stop {
  isStopped: boolean
  /** Looks for that while the event loop stands still, where that is possible. */
  readonly look?: (() => void) | undefined
  /** Promises of one call that may be open at a time. Default: as many as call-each.ts says. */
  readonly sideBySide?: number | undefined
}

/** `current` gives the stop of the call that begins now. Whoever begins calls sets it; undefined: nothing can stop them. */
export const stopping: { current: (() => Stop | undefined) | undefined } = { current: undefined }

// How code that calls a function for many inputs learns that nobody waits for the results any more.

export interface Stop {
  isStopped: boolean
  /** Looks for that while the event loop stands still, where that is possible. */
  readonly look?: (() => void) | undefined
}

/** `current` gives the stop of the call that begins now. Whoever begins calls sets it; undefined: nothing can stop them. */
export const stopping: { current: (() => Stop | undefined) | undefined } = { current: undefined }

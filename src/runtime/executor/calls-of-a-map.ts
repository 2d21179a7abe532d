// How map() learns to give up each call that it has made, as it must when one of them has failed: a call whose caller has no signal of its own says
// nothing when it begins, so to give each a signal would cost more than the call.

export type GiveUp = (reason: unknown) => void

/** Of the map that makes a call just now: told of each one that a pool accepts, or that waits for room. */
export const mapNow: { onCall: ((giveUp: GiveUp) => void) | undefined } = { onCall: undefined }

/** Makes calls of a map. */
export function asCallsOf<R>(onCall: ((giveUp: GiveUp) => void) | undefined, make: () => R): R {
  const before = mapNow.onCall
  mapNow.onCall = onCall
  try {
    return make()
  } finally {
    mapNow.onCall = before
  }
}

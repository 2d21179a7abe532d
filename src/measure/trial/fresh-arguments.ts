// Arguments for a task that changes what it is given: each call gets a copy of its own, made while nothing is timed.

type Arguments = readonly unknown[]

/** Copies that lie ready: so many at most, of so many bytes. */
const MAX_COPIES = 20_000
const MAX_BYTES = 64 * 1024 * 1024

export interface FreshArguments {
  /** For the next call. Copied now where no more lie ready. */
  take(): Arguments
  /** Makes copies for as many calls as were made since the last time, and some more. */
  prepare(): void
  /** Gives back the memory of those that lie ready. */
  release(): void
}

export function freshArguments(original: (call: number) => Arguments, bytesOfOne: number): FreshArguments {
  const ready: Arguments[] = []
  const most = Math.min(MAX_COPIES, Math.max(1, Math.floor(MAX_BYTES / Math.max(1, bytesOfOne))))
  let prepared = 0
  let taken = 0
  const copy = (call: number) => structuredClone<Arguments>(original(call))
  return {
    take() {
      taken++
      return ready.pop() ?? copy(taken)
    },
    prepare() {
      const wanted = Math.min(most, Math.ceil(1.25 * taken) + 8)
      while (ready.length < wanted) ready.push(copy(prepared++))
      taken = 0
    },
    release: () => void ready.splice(0),
  }
}

// A signal that a loop can ask which never lets the event loop turn.

const platform = AbortSignal.prototype

/** `poll` is called before each look at the signal, and may abort it. */
export function makeLive(signal: AbortSignal, poll: () => void): void {
  const after = (name: 'aborted' | 'reason') => ({
    get() {
      poll()
      return Reflect.get(platform, name, signal) as unknown
    },
  })
  Object.defineProperties(signal, {
    aborted: after('aborted'),
    reason: after('reason'),
    throwIfAborted: {
      value() {
        poll()
        platform.throwIfAborted.call(signal)
      },
    },
  })
}

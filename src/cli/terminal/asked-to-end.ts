// What a signal that asks a program to end means: the first one, that it ends in good order; another one later, that it ends at once.

/**
 * Milliseconds in which all signals are one asking. Who asks once may send several: GNU timeout signals its child and then the group of it, npm
 * passes on the Ctrl-C that its child has got as well, systemd and supervisord signal a whole group. These come within milliseconds; who is held
 * up between two sends the second later, and who presses Ctrl-C again has seen that it has not ended.
 */
const ONE_ASKING_MS = 500

export type Asked = 'first' | 'same' | 'again'

/** Of one program: call it with each signal that comes. */
export function createAsked(now: () => number = () => performance.now()): (signal?: string) => Asked {
  let firstAt: number | undefined
  return (signal) => {
    if (firstAt === undefined) {
      firstAt = now()
      return 'first'
    }
    // The shell and the kernel both send SIGHUP when a terminal is closed, at any time.
    return signal === 'SIGHUP' || now() - firstAt < ONE_ASKING_MS ? 'same' : 'again'
  }
}

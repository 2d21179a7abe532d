// What does not pass under Wine, each with its reason: what Wine cannot do, and what nobody has seen on Windows itself yet.

const PIPE =
  'what a process writes to its pipe comes when its thread is free, also of an overlapped one; whether Windows does so is not known'

/** Each waits for an item, for progress, or for a result, of a task that blocks or ends its process then. */
const beforeBlocking = [
  ['stream-ends', /of a generator that blocks its worker replaces that after gracePeriod/],
  ['stream-ends', /leaves alone a call that keeps the worker busy meanwhile/],
  ['stream-ends', /because its worker ends: what was received comes before that/],
  ['progress', /leaves a synchronous task at once/],
  ['silent-workers', /is given up as a stream that was left/],
  ['silent-workers', /is replaced when what a task has left behind blocks it/],
].map(([file, title]) => ({ file, title, reason: PIPE, hangsOn: 'processes' }))

/** @type {import('../run-cases.mjs').Platform['limits']} */
export const wineLimits = [
  { file: 'stream', title: /^processes: .* an item that is ready is sent although/, reason: PIPE },
  {
    file: 'silent-workers',
    title: /^processes: .* gives back what was sent to it while it computed/,
    reason: PIPE,
  },
  { file: 'output', title: /^processes: .* is whole when the task ends its worker/, reason: PIPE },
  ...beforeBlocking,
  {
    file: 'surroundings',
    title: /is found from where the program was started/,
    reason:
      'the project is the root of a drive here, where Node finds no --require ./file under Wine, in any program; whether so on Windows is not known',
  },
  {
    file: 'paths',
    title: /takes a path of the network$/,
    reason: 'Wine has no shares of its own: the path is right, and nothing is there',
  },
  {
    file: 'reload',
    title: /^under 64 keep-alive connections at full load/,
    reason: 'one answer of thousands came later than 10 s when it ran on two busy CPUs; why is not known',
  },
]

// What does not pass under Wine, each with its reason: what Wine cannot do, and what nobody has seen on Windows itself yet.

/** @type {import('../run-cases.mjs').Platform['limits']} */
export const wineLimits = [
  {
    file: 'stream',
    title: /^processes: .* an item that is ready is sent although/,
    reason:
      'what a process writes to its pipe comes when its thread is free, also of an overlapped one; whether Windows does so is not known',
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

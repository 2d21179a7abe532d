// What Wine cannot do, though Windows can: these cases are not run for it, each with its reason.

/** @type {import('../run-cases.mjs').Platform['limits']} */
export const wineLimits = [
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

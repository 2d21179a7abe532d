// One clock for all threads and processes of this machine, so that a worker can say when a call has started.
//
// Workers, and main with each call, use it for everything they time. performance.now() starts at another zero in each thread, and the
// first use of `performance` loads node:perf_hooks with ten modules of Node's own, which each worker and each first call would wait for.
// process.hrtime() is a little quicker than hrtime.bigint() once it is compiled, much slower before, and V8 compiles its 236 bytes of
// bytecode into whatever reads the clock.

// Taken at the start, and not the global ones: a program, or its tests, may put something else in their place.
// eslint-disable-next-line @typescript-eslint/unbound-method -- it looks at no `this`
const builtIn = typeof process === 'object' ? process.getBuiltinModule : undefined
const { hrtime, versions } = builtIn?.('node:process') ?? {}
/** That of Bun and Deno starts at another zero in each thread. */
const isOfMachine = typeof hrtime?.bigint === 'function' && !('bun' in versions!) && !('deno' in versions!)

/** Milliseconds of the machine's monotonic clock; of the time of day where there is none to be had. */
export const machineNow: () => number = isOfMachine ? () => Number(hrtime.bigint()) / 1e6 : timeOfDay()

/** The same in whole milliseconds, mod 2^32: for a word of shared memory. */
export function machineMs(): number {
  return machineNow() | 0
}

/** Taken at the start too: on Bun, node:perf_hooks gives the global one, whatever it is by then. */
function timeOfDay(): () => number {
  const { performance } = builtIn?.('node:perf_hooks') ?? globalThis
  const { timeOrigin } = performance
  const now = performance.now.bind(performance)
  return () => timeOrigin + now()
}

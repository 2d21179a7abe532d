// The tasks of adaptive.mjs: work that is counted, not timed, so that it takes the same whoever else has the CPU.

let sink = 0

/** About a microsecond for each 1000 steps on a machine of 2024. */
function work(steps) {
  let x = 1
  for (let i = 0; i < steps; i++) x = (x * 48271) % 2147483647
  return (sink = x)
}

export const calibrate = (steps) => {
  work(steps)
  const started = performance.now()
  work(steps)
  return (1000 * (performance.now() - started)) / steps
}

export const nothing = (x) => x
export const tiny = ({ steps }) => work(steps)
export const short = ({ steps }) => work(steps)
export const medium = ({ steps }) => work(steps)
export const long = ({ steps }) => work(steps)
/** 100 KB in, little out. */
export const bytes = (data) => data[0] + data[data.length - 1]
export const text = (data) => data.length
export const last = () => sink

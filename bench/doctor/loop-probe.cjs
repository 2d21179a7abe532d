// Loaded before an app that the bench runs without doctor: says how busy its event loop was between two messages.
const { performance } = require('node:perf_hooks')

let before
process.on('message', (message) => {
  if (message === 'start') before = performance.eventLoopUtilization()
  else process.send(performance.eventLoopUtilization(before).utilization)
})
process.channel.unref()

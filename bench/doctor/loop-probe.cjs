// Loaded before an app that the bench runs without doctor: says how busy its event loop was between two messages. Threads of the app load it too.
const { performance } = require('node:perf_hooks')
const { isMainThread } = require('node:worker_threads')

if (isMainThread) answerMessages()

function answerMessages() {
  let before
  process.on('message', (message) => {
    if (message === 'start') before = performance.eventLoopUtilization()
    else process.send(performance.eventLoopUtilization(before).utilization)
  })
  process.channel.unref()
}

const { task } = require('threadwise/task')

exports.echo = (value) => value
exports.fail = (message) => {
  throw new RangeError(message)
}
exports.call = async () => {
  await null
  task.progress('half')
  return [task.worker.name, task.workerData]
}

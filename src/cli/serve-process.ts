// The process of a service that another process has started: in the background, or as one of several. It is told
// by its parent what to serve.

import { isThreadwiseError } from '../errors.js'
import { runService } from './run-service.js'
import type { FromServing, ToServing } from './serve-messages.js'

process.once('message', (message) => void run(message as ToServing))

async function run({ plan, isBackground }: ToServing): Promise<void> {
  // Who has started it may go: the service belongs to itself. One of several ends with the process in front.
  const stop = () => void process.kill(process.pid, 'SIGTERM')
  if (!isBackground) process.once('disconnect', stop)
  try {
    process.exitCode = await runService(plan, {
      isBackground,
      onServing: (service) => tell({ type: 'serving', pid: process.pid, instances: service.status().wanted }),
    })
  } catch (error) {
    const { message, stack } = error as Error
    const code = isThreadwiseError(error) ? error.code : null
    tell({ type: 'failed', code, message })
    if (!isBackground) process.stderr.write(`threadwise: ${code === null ? stack : `${message} [${code}]`}\n`)
    process.exitCode = 1
  }
  process.off('disconnect', stop)
  if (process.connected) process.disconnect()
}

function tell(message: FromServing): void {
  if (process.connected) process.send!(message, undefined, undefined, () => {})
}

// The process of a service that another process has started: in the background, or as one of several. Its parent
// sends what to serve.

import { isThreadwiseError } from '../../errors/errors.js'
import type { Service } from '../../serve/service/service.js'
import { runService } from './run-service.js'
import type { FromServing, StartServing, ToServing } from './serve-messages.js'

process.once('message', (message) => void run(message as StartServing))

async function run({ plan, isBackground, hasTerminal }: StartServing): Promise<void> {
  const obey = (service: Service, say: (text: string) => void) => {
    // A service in the background outlives the process that has started it.
    if (!isBackground) obeyParent(service, say)
  }
  try {
    process.exitCode = await runService(plan, {
      isBackground,
      hasTerminal,
      onService: obey,
      onServing: (service) => send({ type: 'serving', pid: process.pid, instances: service.status().wanted }),
    })
  } catch (error) {
    const { message, stack } = error as Error
    const code = isThreadwiseError(error) ? error.code : null
    send({ type: 'failed', code, message })
    if (!isBackground) process.stderr.write(`threadwise: ${code === null ? stack : `${message} [${code}]`}\n`)
    process.exitCode = 1
  }
  if (process.connected) process.disconnect()
}

/** By messages: Ctrl-C sends its signal to all processes, and a second one would end everything at once. */
function obeyParent(service: Service, say: (text: string) => void): void {
  const stop = () => void service.stop()
  process.once('disconnect', stop)
  process.on('message', (message: ToServing) => {
    if (message === 'stop') stop()
    else if (message === 'reload') service.reload().catch((error: Error) => say(error.message))
    else {
      service.kill()
      process.exit(130)
    }
  })
}

function send(message: FromServing): void {
  if (process.connected) process.send!(message, undefined, undefined, () => {})
}

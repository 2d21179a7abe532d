// The process of a service that another process has started: in the background, or as one of several. Its parent
// sends what to serve.

import { renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { isThreadwiseError } from '../../errors/errors.js'
import { isRunning } from '../../serve/control/process-start.js'
import { announceNext } from '../../serve/control/run-record.js'
import { resolveServeOptions } from '../../serve/contract/resolve-options.js'
import { logFolder } from '../../serve/logs/log-folder.js'
import type { Service } from '../../serve/service/service.js'
import { recordFailure } from './background-record.js'
import { runService } from './run-service.js'
import type { FromServing, StartServing, ToServing } from './serve-messages.js'

process.once('message', (message) => void run(message as StartServing))

async function run(start: StartServing): Promise<void> {
  const { plan, isBackground, hasTerminal, isPatient, errors, replaces } = start
  const obey = (service: Service, say: (text: string) => void) => {
    // A service in the background outlives the process that has started it.
    if (!isBackground) obeyParent(service, say)
  }
  const fail = (error: Error, isTrying: boolean) => {
    const code = isThreadwiseError(error) ? error.code : null
    send({ type: 'failed', code, message: error.message, isTrying })
    return code
  }
  const endAnnouncement = replaces ? announceNext(plan.name) : () => {}
  try {
    if (replaces) {
      // Before anything is ended: in the middle of a deploy its file may be away.
      resolveServeOptions(plan.file, plan.options)
      await untilGone(replaces)
    }
    process.exitCode = await runService(plan, {
      isBackground,
      hasTerminal,
      isPatient,
      onFailure: (error) => {
        fail(error, true)
        leave()
      },
      onNamed: () => {
        endAnnouncement()
        if (errors !== undefined) renameSync(errors, join(logFolder(), `${plan.name}.err`))
      },
      onService: obey,
      onServing: (service) =>
        send({
          type: 'serving',
          pid: process.pid,
          instances: service.status().wanted,
          isDeaf: isDeaf(service),
        }),
    })
  } catch (error) {
    endAnnouncement()
    const code = fail(error as Error, false)
    const { message, stack } = error as Error
    if (!isBackground || replaces)
      process.stderr.write(`threadwise: ${code === null ? stack : `${message} [${code}]`}\n`)
    if (replaces) {
      recordFailure(plan, message) // nobody hears it any more
      if (errors !== undefined) rmSync(errors, { force: true })
    }
    process.exitCode = 1
  }
  if (process.connected) process.disconnect()
  /** Who has started it in the background knows how it is, and need not wait. */
  function leave(): void {
    if (isBackground && process.connected) process.disconnect()
  }
}

/** It may run for long without a port that it is to share: its listenTimeout was over. */
function isDeaf(service: Service): boolean {
  const { kind, ports } = service.status()
  return kind === 'server' && ports.length === 0 && !service.hasReusePort
}

const LOOK_MS = 20

/** It has been told to end, and lets its requests end first. */
async function untilGone({ pid, start }: { pid: number; start: number }): Promise<void> {
  send({ type: 'waiting' })
  while (isRunning(pid, start)) await delay(LOOK_MS)
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

// `threadwise serve`: a service in the foreground, its log on standard error, and what signals do to it.

import { openControl, type Control } from '../cluster/control-server.js'
import type { ServeEvent } from '../cluster/events.js'
import { isThreadwiseError } from '../errors.js'
import { resolveServeOptions } from '../cluster/options.js'
import { instancesFor } from './auto-instances.js'
import { Service } from '../cluster/service.js'

export interface ServeFlags {
  instances?: number | 'max' | 'auto'
  name?: string
  grace?: number
  readyTimeout?: number
  waitReady?: boolean
  health?: string
  hangTimeout?: number
  maxMemory?: string
  maxRequests?: number
  sticky?: 'address'
  reusePort?: boolean
  min?: number
  max?: number | 'max'
  scaleUp?: number
  scaleDown?: number
  scaleInterval?: number
}

/** The exit code. */
export async function runServe(file: string, args: string[], flags: ServeFlags): Promise<number> {
  const { instances = 'max', note } = instancesFor(file, flags.instances)
  const onEvent = (event: ServeEvent) => say(describe(event))
  const settings = resolveServeOptions(file, { ...flags, instances, args, onEvent })
  const say = (text: string) => void process.stderr.write(`${settings.name}: ${text}\n`)
  if (note !== null) say(note)
  const service = new Service(settings)
  const control = await tryControl(service, say)
  const release = onSignals(service, say)
  say(
    `starting ${settings.instances} ${settings.instances === 1 ? 'instance' : 'instances'} of ${settings.file}`,
  )
  try {
    await service.start()
    await service.ended
    say('stopped')
    return 0
  } catch (error) {
    if (!isThreadwiseError(error) || error.code !== 'TW_ERR_SERVICE_STOPPED') throw error
    await service.stop() // a signal came while it was starting
    return 0
  } finally {
    release()
    control?.close()
  }
}

/** A file system that is read-only, as in many containers, is no reason not to serve. */
async function tryControl(service: Service, say: (text: string) => void): Promise<Control | undefined> {
  try {
    return await openControl(service)
  } catch (error) {
    if (!isThreadwiseError(error) || error.code !== 'TW_ERR_RUNTIME_FOLDER') throw error
    say(`cannot be reached by list, status, reload, scale and stop, but by signals: ${error.message}`)
    return undefined
  }
}

function onSignals(service: Service, say: (text: string) => void): () => void {
  let isStopping = false
  const hasTerminal = process.stdin.isTTY // asked later, one that was closed is none
  const stop = (signal: string) => {
    if (isStopping) {
      service.kill()
      process.exit(130)
    }
    isStopping = true
    say(`${signal}: requests may end; again to stop at once`)
    void service.stop()
  }
  const reload = (signal: string) => {
    // A terminal that was closed: nobody is there any more.
    if (signal === 'SIGHUP' && hasTerminal) return stop(signal)
    say(`${signal}: reloading`)
    service.reload().catch((error: Error) => say(error.message))
  }
  const handlers = {
    ...{ SIGTERM: stop, SIGINT: stop, SIGHUP: reload },
    ...(process.platform !== 'win32' && { SIGUSR2: reload }), // unknown there, and an error
  }
  for (const [signal, handle] of Object.entries(handlers)) process.on(signal, handle)
  return () => {
    for (const [signal, handle] of Object.entries(handlers)) process.off(signal, handle)
  }
}

function describe(event: ServeEvent): string {
  switch (event.type) {
    case 'ready':
      return `instance ${event.instance} (process ${event.pid}) serves`
    case 'draining':
      return `instance ${event.instance} (process ${event.pid}) takes no more connections`
    case 'gone':
      return `instance ${event.instance} (process ${event.pid}) ended ${event.how}${event.wasWanted ? '' : ', unexpectedly'}`
    case 'replacing':
      return `another one starts ${event.delayMs === 0 ? 'now' : `in ${event.delayMs} ms`}`
    case 'renewing':
      return `instance ${event.instance} (process ${event.pid}) is to be replaced: ${event.found} (${event.limit})`
    case 'scaling':
      return `${event.to} instances from now on, not ${event.from}: ${event.found}`
    case 'warning':
      return event.text
    case 'reloaded':
      return `reloaded ${event.instances} ${event.instances === 1 ? 'instance' : 'instances'}`
  }
}

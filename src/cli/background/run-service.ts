// A service that runs in this process until it ends: how it can be reached, what it says, and what signals do to it.

import { isJob, type AppPlan } from '../../serve/apps/app-plan.js'
import { logOf, openRecord, type BackgroundRecord } from './background-record.js'
import { openControl, type Control } from '../../serve/control/control-server.js'
import { isThreadwiseError } from '../../errors/errors.js'
import type { ServeEvent } from '../../serve/contract/events.js'
import { MAX_MS } from '../../serve/contract/times.js'
import { resolveServeOptions, type ResolvedServe } from '../../serve/contract/resolve-options.js'
import { Service } from '../../serve/service/service.js'
import { openServiceLog, type ServiceLog } from '../../serve/logs/service-log.js'
import { createAsked } from '../terminal/asked-to-end.js'
import { describeEvent } from './describe-event.js'
import { HostedApp } from './hosted-app.js'

export interface RunServiceOptions {
  /** Writes a log, and must be reachable by commands: there is no terminal for it. */
  isBackground?: boolean
  /** It is to stop when that is closed. Default: whether standard input is one. */
  hasTerminal?: boolean
  /** A first start that fails is tried again, and told to `onFailure`. */
  isPatient?: boolean
  onFailure?: (error: Error) => void
  /** Its name is its own: no other service of this user has it. */
  onNamed?: () => void
  /** It can be ended or reloaded from now on, before it serves. */
  onService?: (service: Service, say: (text: string) => void) => void
  /** All instances serve. */
  onServing?: (service: Service) => void
}

/** The exit code. */
export async function runService(plan: AppPlan, options: RunServiceOptions = {}): Promise<number> {
  const { isBackground = false, hasTerminal = process.stdin.isTTY, onService = () => {} } = options
  let log: ServiceLog | undefined
  let record: BackgroundRecord | undefined
  const say = (text: string) => (log ? log.say(text) : void process.stderr.write(`${plan.name}: ${text}\n`))
  const tell = (event: ServeEvent) => {
    say(describeEvent(event))
    app.onEvent(event)
  }
  const settings: ResolvedServe = {
    ...resolveServeOptions(plan.file, { ...plan.options, onEvent: tell }),
    ...(isJob(plan) && { isJob: true, instances: 0 }),
    ...(isBackground && { collect: (...started) => log!.collect(...started) }),
  }
  const service = new Service(settings)
  const app = new HostedApp(plan, { service, isBackground, say })
  onService(service, say)
  // Before the log: another service of this name may be writing it.
  const control = isBackground ? await openControl(app, true) : await tryControl(app, say)
  options.onNamed?.()
  try {
    if (isBackground) {
      log = openServiceLog(logOf(plan), plan.log)
      record = openRecord(plan, say)
      app.attach(record, log)
    }
    const code = await runToEnd(service, { ...options, app, settings, say, hasTerminal })
    record?.ended(service.status().wanted === 0 && !settings.isJob ? 'done' : 'stopped', null)
    return code
  } catch (error) {
    const { message } = error as Error
    log?.say(message)
    record?.ended('failed', message)
    app.gaveUp(message)
    throw error
  } finally {
    await log?.close()
    control?.close() // last: until then another service of this name would write the same log
  }
}

interface Run extends Pick<RunServiceOptions, 'isPatient' | 'onFailure' | 'onServing'> {
  app: HostedApp
  settings: ResolvedServe
  say: (text: string) => void
  /** As it was at the start: asked later, one that was closed is none. */
  hasTerminal: boolean
}

async function runToEnd(service: Service, run: Run): Promise<number> {
  const { app, settings, say, onServing = () => {}, onFailure = () => {} } = run
  const release = onSignals(service, run)
  const { instances, file } = settings
  // Instances keep this process alive, and a job between its times has none.
  const hold = setInterval(() => {}, MAX_MS)
  const count = `${instances} ${instances === 1 ? 'instance' : 'instances'}`
  say(settings.isJob ? `${file} is to run at ${app.plan.cron}` : `starting ${count} of ${file}`)
  const failed = (error: Error) => {
    say(error.message)
    onFailure(error)
  }
  try {
    // What runs once has no second start.
    const started = service.start(run.isPatient && settings.restart !== 'never' ? failed : undefined)
    app.begin(started)
    await started
    onServing(service)
    await service.ended
    say('stopped')
    return 0
  } catch (error) {
    if (!isThreadwiseError(error) || error.code !== 'TW_ERR_SERVICE_STOPPED') throw error
    await service.stop() // a signal came while it was starting
    return 0
  } finally {
    clearInterval(hold)
    app.end()
    release()
  }
}

/** A file system that is read-only, as in many containers, is no reason not to serve. */
async function tryControl(app: HostedApp, say: (text: string) => void): Promise<Control | undefined> {
  try {
    return await openControl(app, false)
  } catch (error) {
    if (!isThreadwiseError(error) || error.code !== 'TW_ERR_RUNTIME_FOLDER') throw error
    say(`list, status, reload, scale and stop do not reach it, signals do: ${error.message}`)
    return undefined
  }
}

function onSignals(service: Service, { say, hasTerminal }: Run): () => void {
  const asked = createAsked()
  const stop = (signal: string) => {
    const times = asked(signal)
    if (times === 'same') return
    if (times === 'again') {
      service.kill()
      process.exit(130)
    }
    say(`${signal}: requests may end; a second signal stops at once`)
    void service.stop()
  }
  const reload = (signal: string) => {
    // A terminal that was closed: nobody is there any more.
    if (signal === 'SIGHUP' && hasTerminal) return stop(signal)
    say(`${signal}: reloading`)
    service.reload().catch((error: Error) => say(error.message))
  }
  const handlers = {
    SIGTERM: stop,
    SIGINT: stop,
    SIGHUP: reload,
    ...(process.platform !== 'win32' && { SIGUSR2: reload }), // unknown there, and an error
  }
  for (const [signal, handle] of Object.entries(handlers)) process.on(signal, handle)
  return () => {
    for (const [signal, handle] of Object.entries(handlers)) process.off(signal, handle)
  }
}

// A service as commands reach it: the plan by which it runs, and what changes it. Each change is done here, in its own process, so that a command
// may end in between, such as one that an instance has started.

import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { checkOption } from '../../errors/check-options.js'
import { ThreadwiseError } from '../../errors/errors.js'
import { isJob, type AppPlan } from '../../serve/apps/app-plan.js'
import { startAutoReload } from '../../serve/apps/auto-reload.js'
import type { StartContext } from '../../serve/apps/remembered.js'
import type {
  AppliedChange,
  ApplyRequest,
  RestartRequest,
  StartedProcess,
} from '../../serve/control/control-messages.js'
import type { Controlled } from '../../serve/control/control-server.js'
import { startOf } from '../../serve/control/process-start.js'
import type { ServiceLog } from '../../serve/logs/service-log.js'
import type { Service } from '../../serve/service/service.js'
import { inBackground, logOf, type BackgroundRecord } from './background-record.js'
import type { ServeEvent } from '../../serve/contract/events.js'
import { EventRunner } from './event-command.js'
import { errorOf, type FromServing } from './serve-messages.js'
import { checkFolder, ownContext, withVariables } from './start-context.js'
import { startProcess } from './start-process.js'

interface Host {
  readonly service: Service
  readonly isBackground: boolean
  readonly say: (text: string) => void
}

export class HostedApp implements Controlled {
  readonly name: string
  readonly #host: Host
  #plan: AppPlan
  #attached: { record: BackgroundRecord; log: ServiceLog } | undefined
  #endReloads = () => {}
  #started: Promise<void> = Promise.resolve()
  #told: EventRunner | undefined
  /** The process that is to take its place, while it is on its way. */
  #successor: Promise<StartedProcess> | undefined
  #successorNow: StartedProcess | undefined

  constructor(plan: AppPlan, host: Host) {
    this.name = plan.name
    this.#plan = plan
    this.#host = host
    this.#listen()
  }

  onEvent(event: ServeEvent): void {
    this.#told?.onEvent(event)
  }

  gaveUp(reason: string): void {
    this.#told?.gaveUp(reason)
  }

  get plan(): AppPlan {
    return this.#plan
  }

  /** Its times and watched files begin to count. */
  begin(started: Promise<void>): void {
    this.#started = started
    this.#watch()
  }

  end(): void {
    this.#endReloads()
  }

  /** In the background: where it is remembered, and its log. */
  attach(record: BackgroundRecord, log: ServiceLog): void {
    this.#attached = { record, log }
  }

  status() {
    return this.#host.service.status()
  }

  inspect() {
    return this.#host.service.inspect()
  }

  /** What is to take its place is not meant to go on either. */
  async stop(): Promise<void> {
    await this.#successor?.then(({ pid }) => process.kill(pid, 'SIGTERM')).catch(() => {})
    await this.#host.service.stop()
  }

  get successor(): StartedProcess | undefined {
    return this.#successorNow
  }

  /** Whoever has removed its record, such as with the whole folder, has not ended it. */
  remember(): void {
    this.#attached?.record.keep()
  }

  scale(instances: number) {
    return this.#host.service.scale(instances)
  }

  async reload(env: StartContext['env'] | undefined): Promise<void> {
    if (env) this.#takeVariables(env)
    await this.#host.service.reload()
  }

  async apply({ plan: given, isTrial, env }: ApplyRequest): Promise<AppliedChange[]> {
    const { service, isBackground } = this.#host
    const next = isBackground ? inBackground(given) : given
    const around = changesAround(this.#plan, next, isBackground)
    const ofService = await service.apply(next.file, next.options, true)
    const changes = [...ofService, ...around]
    if (isTrial) return changes
    checkFixed(around)
    if (env) this.#takeVariables(env)
    if (ofService.length > 0) await service.apply(next.file, next.options, false)
    else if (env) await service.reload()
    this.#attached?.log.moveTo(logOf(next), next.log)
    this.#plan = next
    this.#listen()
    this.#watch()
    this.#attached?.record.changed(next, ownContext())
    return changes
  }

  /** Several at the same time, of which none changes anything, are one. */
  async restart(request: RestartRequest): Promise<StartedProcess> {
    if (!this.#host.isBackground) {
      const details = {
        call: 'restart',
        expected: 'a service in the background',
        received: `${this.name}, which runs in the foreground`,
      }
      throw new ThreadwiseError('TW_ERR_INVALID_CALL', details)
    }
    if (this.#successor && (request.plan || request.env))
      throw new ThreadwiseError('TW_ERR_SERVICE_STOPPED', { name: this.name })
    this.#successor ??= this.#replace(request)
    return this.#successor
  }

  async #replace(request: RestartRequest): Promise<StartedProcess> {
    try {
      this.#successorNow = await startSuccessor(request.plan ?? this.#plan, request)
      // The answer is to be on its way before this process ends.
      setTimeout(() => void this.#host.service.stop(), ANSWER_MS)
      return this.#successorNow
    } catch (error) {
      this.#successor = undefined
      throw error
    }
  }

  #listen(): void {
    const { onEvent } = this.#plan
    const { say } = this.#host
    this.#told = onEvent
      ? new EventRunner(onEvent, { name: this.name, status: () => this.status(), say })
      : undefined
  }

  #watch(): void {
    this.#endReloads()
    const { service, say } = this.#host
    // A change of a file that comes while it starts is for afterwards.
    const reload = () =>
      this.#started.then(
        () => service.reload(),
        () => {},
      )
    const runJob = isJob(this.#plan) ? { runJob: () => service.runJob() } : {}
    this.#endReloads = startAutoReload({ reload, ...runJob }, this.#plan, say)
  }

  /** Instances inherit those of this process. */
  #takeVariables(env: StartContext['env']): void {
    const next = withVariables(ownContext(), env).env
    for (const name of Object.keys(process.env)) if (!(name in next)) delete process.env[name]
    Object.assign(process.env, next)
    this.#attached?.record.changed(this.#plan, ownContext())
  }
}

const ANSWER_MS = 50

/** What is around the service: its times, watched files and log. */
function changesAround(before: AppPlan, after: AppPlan, isBackground: boolean): AppliedChange[] {
  const show = (value: unknown) =>
    value === null || value === false ? 'none' : typeof value === 'string' ? value : JSON.stringify(value)
  const fields: Record<string, (plan: AppPlan) => unknown> = {
    cron: ({ cron }) => cron,
    watch: ({ watch }) => watch,
    ignoreWatch: ({ ignoreWatch }) => ignoreWatch ?? [],
    onEvent: ({ onEvent }) => onEvent ?? null,
    ...(isBackground && {
      logFile: ({ log }: AppPlan) => log.path,
      logSize: ({ log }: AppPlan) => log.size,
      logFiles: ({ log }: AppPlan) => log.files,
    }),
  }
  const isSameKind = isJob(before) === isJob(after)
  return Object.entries(fields).flatMap(([option, of]) => {
    if (isDeepStrictEqual(of(before), of(after))) return []
    const isApplied = option !== 'cron' || isSameKind
    return [{ option, text: `${show(of(before))} -> ${show(of(after))}`, isApplied }]
  })
}

function checkFixed(changes: readonly AppliedChange[]): void {
  const fixed = changes.filter(({ isApplied }) => !isApplied).map(({ option }) => option)
  checkOption(
    fixed.length === 0,
    fixed.join(', '),
    'as before: restart the service to change it',
    'another value',
  )
}

/** The process that takes the place of this one, when it is up and waits for that. */
async function startSuccessor(plan: AppPlan, { env }: RestartRequest): Promise<StartedProcess> {
  const own = ownContext()
  checkFolder(plan.name, own)
  const { child, errors } = startProcess(plan, {
    context: env ? withVariables(own, env) : own,
    isPatient: true,
    replaces: { pid: process.pid, start: startOf(process.pid) },
  })
  child.on('error', () => {}) // 'exit' follows
  const ended = once(child, 'exit').then(([code]) => {
    rmSync(errors, { force: true }) // its name was never its own
    throw new Error(
      `The process that was to take its place ended with exit code ${String(code)}; it goes on as before.`,
    )
  })
  ended.catch(() => {})
  const [message] = (await Promise.race([once(child, 'message'), ended])) as [FromServing]
  if (message.type === 'failed') throw errorOf(message, ` ${plan.name} goes on as before.`)
  child.disconnect()
  child.unref()
  return { pid: child.pid!, start: startOf(child.pid!) }
}

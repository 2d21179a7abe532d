// The parent's side of one child process.

import type { ChildProcess, SpawnOptions } from 'node:child_process'
import type { Socket } from 'node:net'
import { ownOptions } from '../../errors/check-options.js'
import { inheritedExecArgv, workerEnv } from '../pool/workers/inherited-options.js'
import { createPrinter, passOutput, targetOf, type Output } from '../pool/workers/print-output.js'
import type { PoolWorker, WorkerEvents, WorkerExit, WorkerIds } from '../pool/workers/worker.js'
import type { WorkerSettings } from '../pool/pool-options.js'
import { programOfChild } from '../../primitives/run-text.js'
import { variablesOfWorker } from '../../primitives/starts/start-guard.js'
import { taskModules } from '../../primitives/task-modules.js'
import { startTimer } from '../../primitives/timers.js'
import { Malformed } from '../wire/codec/input.js'
import { BY_PIPE } from '../wire/codec/packet.js'
import type { BeginMessage, FromWorker } from '../wire/messages.js'
import { childFolder } from './child-folder.js'
import { dyingWithParent } from './die-with-parent.js'
import { CHANNEL_FD, FrameReader, writeFrame } from './frames.js'
import { endingOf, endWithProgram, forget } from './end-child.js'
import { inspectorOf, type Inspector } from './inspector-port.js'
import processCode from './process-entry.js?code'

/** Milliseconds after an exit in which the last messages must have arrived. */
const LAST_MESSAGES_MS = 500

export function startProcessWorker(
  settings: WorkerSettings,
  ids: WorkerIds,
  events: WorkerEvents,
): PoolWorker {
  const { start, own } = childFolder(settings.cwd)
  const inspector = inspectorOf({ execArgv: nodeOptions(settings), env: workerEnv(settings.env) })
  const child = startChild({ settings, ids, cwd: start, inspector })
  const channel = child.stdio[CHANNEL_FD] as Socket | null | undefined
  const name = nameOf(settings, ids)
  const printer = createPrinter(settings.output, name)
  const onExit = (exit: WorkerExit) => {
    forget(child)
    inspector.release()
    printer.end()
    events.onExit(exit)
  }
  const isPiped = settings.output !== 'inherit'
  if (channel) readFrom(channel, events)
  send(channel, beginMessage(settings, own))
  return {
    channel: { carrier: BY_PIPE, send: (message) => send(channel, message) },
    identity: { ...ids, name, ...(child.pid !== undefined && { pid: child.pid }) },
    print: (message) => printer.print(message),
    terminate: followEnd({ child, channel, isPiped, name }, { ...events, onExit }),
  }
}

interface Child {
  readonly child: ChildProcess
  readonly channel: Socket | null | undefined
  readonly isPiped: boolean
  readonly name: string
}

/** Tells of its end, once, after its last message. Gives a function that ends it now. */
function followEnd({ child, channel, isPiped, name }: Child, events: WorkerEvents): () => void {
  let exit: WorkerExit | undefined
  let isReported = false
  const report = () => {
    if (!isReported) events.onExit(exit ?? { how: 'by closing its channel' })
    isReported = true
  }
  const end = endingOf(child, name, (givenUp) => {
    exit ??= givenUp
    report()
    channel?.destroy() // it may notice that by itself
  })
  if (isPiped) child.on('close', report) // all that it has printed was read
  child.on('error', (cause) => {
    if (child.pid !== undefined) return // it lives
    exit ??= { how: `because of an error of its process (${cause.message})`, cause }
    report() // it could not be started; there will be no exit
  })
  const onEnding = () => void (isReported || events.onEnding())
  // The exit may be seen before the last messages are read; they are when the channel is closed.
  child.on('exit', (code, signal) => {
    exit ??= { how: describeExit(code, signal) }
    onEnding()
    if (channel?.closed !== false && !isPiped) return report()
    startTimer(LAST_MESSAGES_MS, report)?.unref()
  })
  channel?.on('close', () => {
    onEnding()
    if (exit && !isPiped) report()
    else if (!exit) end() // it cannot be reached any more
  })
  return end
}

function nameOf({ name }: WorkerSettings, { id }: WorkerIds): string {
  return `${name}-${id}`
}

function beginMessage(settings: WorkerSettings, cwd: string | undefined): BeginMessage {
  const { argv, carriedData, sideBySide } = settings
  return { type: 'begin', workerData: carriedData.ofPipe, sideBySide, argv, cwd }
}

function readFrom(channel: Socket, events: WorkerEvents): void {
  const reader = new FrameReader((message) => events.onMessage(message as FromWorker))
  channel.on('data', (chunk: Buffer) => {
    try {
      reader.read(chunk)
    } catch (error) {
      if (!(error instanceof Malformed)) throw error
      channel.destroy()
      events.onBroken(error)
    }
  })
  channel.on('error', ignore) // its end settles the calls
}

function send(channel: Socket | null | undefined, message: unknown): void {
  if (channel?.writable) writeFrame(channel, message) // otherwise its end settles the calls
}

interface Start {
  readonly settings: WorkerSettings
  readonly ids: WorkerIds
  readonly cwd: string | undefined
  readonly inspector: Inspector
}

function startChild({ settings, ids, cwd, inspector }: Start): ChildProcess {
  // Not by import, which would load it, with net and dgram, into every program that only uses threads.
  const { spawn } = process.getBuiltinModule('node:child_process')
  const output = settings.output === 'inherit' ? 'inherit' : 'pipe'
  const options: SpawnOptions = ownOptions({
    // Not the program's input: it is the program's to read. Node's own channel brings the code, and is closed before a task is loaded.
    stdio: ['ignore', output, output, 'ipc', 'pipe'],
    env: { ...inspector.env, ...variablesOfWorker() },
    cwd,
    windowsHide: true, // a program without a console, such as one of Electron, would open one for each
  })
  const { file, args } = dyingWithParent({
    file: process.execPath,
    args: nodeArguments(settings, ids, inspector.options),
  })
  const child = spawn(file, args, options)
  if (child.connected) child.send(processCode, ignore)
  child.channel?.unref?.() // Bun has no such function: oven-sh/bun#33593
  if (output === 'pipe') passAll(child, settings.output, nameOf(settings, ids))
  endWithProgram(child)
  child.unref() // see lifecycle.ts
  ;(child.stdio[CHANNEL_FD] as Socket | null | undefined)?.unref()
  return child
}

function nodeArguments(settings: WorkerSettings, { id, slot }: WorkerIds, more: readonly string[]): string[] {
  const { module, name, maxHeapBytes } = settings
  const options = [...nodeOptions(settings), ...more]
  return programOfChild([module, name, `${id}`, `${slot}`, `${maxHeapBytes}`, ...taskModules()], options)
}

function nodeOptions({ execArgv, resourceLimits }: WorkerSettings): string[] {
  return [...(execArgv ?? inheritedExecArgv()), ...memoryOptions(resourceLimits)]
}

/** Streams that must not keep this process alive. */
function passAll(child: ChildProcess, output: Output, name: string): void {
  for (const to of ['stdout', 'stderr'] as const) {
    const source = child[to] as Socket
    passOutput(source, targetOf(output, to), output === 'labelled' ? name : undefined)
    source.unref()
  }
}

function memoryOptions(limits: NonNullable<WorkerSettings['resourceLimits']> = {}): string[] {
  const {
    maxOldGenerationSizeMb: old,
    maxYoungGenerationSizeMb: young,
    stackSizeMb: stack,
  } = ownOptions(limits)
  return [
    ...(old === undefined ? [] : [`--max-old-space-size=${old}`]),
    ...(young === undefined ? [] : [`--max-semi-space-size=${Math.ceil(young / 3)}`]), // it holds three semi-spaces
    ...(stack === undefined ? [] : [`--stack-size=${Math.round(stack * 1024)}`]),
  ]
}

/** How V8 ends a process on Windows, which has no signals: node::ExitCode::kAbort. */
const ABORTED = 134

function describeExit(code: number | null, signal: NodeJS.Signals | null): string {
  const how = signal ? `by ${signal}` : `with exit code ${code}`
  const isAbort = signal === 'SIGABRT' || (code === ABORTED && process.platform === 'win32')
  return isAbort ? `${how}, as when it runs out of memory` : how
}

/** A failed write means that the child is gone; its exit settles the calls. */
function ignore(): void {}

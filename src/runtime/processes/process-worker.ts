// The parent's side of one child process.

import type { ChildProcess, SpawnOptions } from 'node:child_process'
import type { Socket } from 'node:net'
import { ownOptions } from '../../errors/check-options.js'
import { inheritedExecArgv, workerEnv } from '../pool/workers/inherited-options.js'
import { createPrinter, passOutput, targetOf, type Output } from '../pool/workers/print-output.js'
import type { PoolWorker, WorkerEvents, WorkerExit, WorkerIds } from '../pool/workers/worker.js'
import type { WorkerSettings } from '../pool/pool-options.js'
import { programOfChild } from '../../primitives/run-text.js'
import { taskModules } from '../../primitives/task-modules.js'
import { startTimer } from '../../primitives/timers.js'
import { Malformed } from '../wire/codec/input.js'
import { BY_PIPE } from '../wire/codec/packet.js'
import type { BeginMessage, FromWorker } from '../wire/messages.js'
import { childFolder } from './child-folder.js'
import { CHANNEL_FD, FrameReader, writeFrame } from './frames.js'
import processCode from './process-entry.js?code'

/** Milliseconds after an exit in which the last messages must have arrived. */
const LAST_MESSAGES_MS = 500

/**
 * A child that is inside a synchronous task cannot notice that its channel has closed. So the end of this process, unless
 * by a signal, takes the children along; after a signal each of them ends when its task returns.
 */
const children = new Set<ChildProcess>()
function killChildren(): void {
  for (const child of children) child.kill('SIGKILL')
}

function forget(child: ChildProcess): void {
  children.delete(child)
  if (children.size === 0) process.off('exit', killChildren)
}

export function startProcess(settings: WorkerSettings, ids: WorkerIds, events: WorkerEvents): PoolWorker {
  const { start, own } = childFolder(settings.cwd)
  const child = startChild(settings, ids, start)
  const channel = child.stdio[CHANNEL_FD] as Socket | null | undefined
  const isPiped = settings.output !== 'inherit'
  const printer = createPrinter(settings.output, nameOf(settings, ids))
  let exit: WorkerExit | undefined
  let isReported = false
  const report = () => {
    if (isReported) return
    isReported = true
    forget(child)
    printer.end()
    events.onExit(exit ?? { how: 'by closing its channel' })
  }
  if (channel) readFrom(channel, events)
  send(channel, beginMessage(settings, own))
  if (isPiped) child.on('close', report) // all that it has printed was read
  child.on('error', (cause) => {
    exit ??= { how: `because of an error of its process (${cause.message})`, cause }
    if (child.pid === undefined) report() // it could not be started; there will be no exit
  })
  // The exit may be seen before the last messages are read; they are when the channel is closed.
  child.on('exit', (code, signal) => {
    exit ??= { how: describeExit(code, signal) }
    events.onEnding()
    if (channel?.closed !== false && !isPiped) return report()
    startTimer(LAST_MESSAGES_MS, report)?.unref()
  })
  channel?.on('close', () => {
    events.onEnding()
    if (exit && !isPiped) report()
    else if (!exit) child.kill('SIGKILL') // it cannot be reached any more
  })
  return {
    channel: { carrier: BY_PIPE, send: (message) => send(channel, message) },
    identity: { ...ids, name: nameOf(settings, ids), ...(child.pid !== undefined && { pid: child.pid }) },
    print: (message) => printer.print(message),
    terminate: () => void child.kill('SIGKILL'),
  }
}

function nameOf({ name }: WorkerSettings, { id }: WorkerIds): string {
  return `${name}-${id}`
}

function beginMessage({ argv, carriedData }: WorkerSettings, cwd: string | undefined): BeginMessage {
  return { type: 'begin', workerData: carriedData.ofPipe, argv, cwd }
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

function startChild(settings: WorkerSettings, ids: WorkerIds, cwd: string | undefined): ChildProcess {
  // Not by import, which would load it, with net and dgram, into every program that only uses threads.
  const { spawn } = process.getBuiltinModule('node:child_process')
  const output = settings.output === 'inherit' ? 'inherit' : 'pipe'
  const options: SpawnOptions = ownOptions({
    // Not the program's input: it is the program's to read. Node's own channel brings the code, and is closed before a task is loaded.
    stdio: ['ignore', output, output, 'ipc', 'pipe'],
    env: workerEnv(settings.env),
    cwd,
  })
  const child = spawn(process.execPath, nodeArguments(settings, ids), options)
  if (child.connected) child.send(processCode, ignore)
  child.channel?.unref?.() // Bun has no such function: oven-sh/bun#33593
  if (output === 'pipe') passAll(child, settings.output, nameOf(settings, ids))
  if (children.size === 0) process.on('exit', killChildren)
  children.add(child)
  child.unref() // see lifecycle.ts
  ;(child.stdio[CHANNEL_FD] as Socket | null | undefined)?.unref()
  return child
}

function nodeArguments(
  { execArgv, resourceLimits, ...settings }: WorkerSettings,
  { id, slot }: WorkerIds,
): string[] {
  const { module, name, maxHeapBytes } = settings
  const options = [...(execArgv ?? inheritedExecArgv()), ...memoryOptions(resourceLimits)]
  return programOfChild([module, name, `${id}`, `${slot}`, `${maxHeapBytes}`, ...taskModules()], options)
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

function describeExit(code: number | null, signal: NodeJS.Signals | null): string {
  if (!signal) return `with exit code ${code}`
  return signal === 'SIGABRT' ? 'by SIGABRT, as when it runs out of memory' : `by ${signal}`
}

/** A failed write means that the child is gone; its exit settles the calls. */
function ignore(): void {}

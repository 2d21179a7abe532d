// When an instance is ready: what it must do first, one step after the other.
//
//   it listens ──> it says 'ready' ──> it is healthy ──> it gets its port
//                  (waitReady)         (health)          (isGated: it listens by itself)
//
// Until then it gets no connection: entrance.ts, and gate.ts where it listens by itself.

import { setTimeout as delay } from 'node:timers/promises'
import type { InstanceSettings } from '../contract/instance-messages.js'
import type { InstanceChannel } from './instance-channel.js'

/** How often an instance that is not healthy yet is asked again. */
const ASK_AGAIN_MS = 100

export interface StartingInstance {
  readonly channel: InstanceChannel
  /** Resolves with how it ended. */
  readonly gone: Promise<string>
}

export interface ReadySettings extends Pick<InstanceSettings, 'isGated'> {
  /** After which one that has not listened, or not said that it is ready, need not; null: it must. */
  readonly listenTimeoutMs: number | null
  readonly waitReady: boolean
  /** The path of the health check. */
  readonly health: string | null
  readonly healthIntervalMs: number
  readonly healthThreshold: number
  readonly readyTimeoutMs: number
}

/** Rejects with the reason as its message: the instance ended, it cannot be ready, or the time is over. */
export async function waitUntilReady(instance: StartingInstance, settings: ReadySettings): Promise<void> {
  const { channel, gone } = instance
  const { readyTimeoutMs } = settings
  let missing = 'it did not listen'
  let isOver = false
  const allSteps = async () => {
    for await (const next of readySteps(channel, settings)) {
      if (isOver) return
      missing = next
    }
  }
  const ended = gone.then((how) => {
    throw new Error(`it ended ${how}`)
  })
  const unable = channel.next('unable').then(({ reason }) => {
    throw new Error(reason)
  })
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const hint = () =>
      missing.startsWith('it did not listen') ? '; an app without a port needs portless' : ''
    const fail = () => reject(new Error(`${missing} within ${readyTimeoutMs} ms (readyTimeout)${hint()}`))
    timer = setTimeout(fail, readyTimeoutMs)
  })
  try {
    await Promise.race([allSteps(), ended, unable, late])
  } finally {
    isOver = true
    clearTimeout(timer)
  }
}

/** Gives before each further step what is missing if the time ends there. */
async function* readySteps(channel: InstanceChannel, settings: ReadySettings): AsyncGenerator<string> {
  const { isGated, listenTimeoutMs, waitReady, health } = settings
  const listens = channel.next(isGated ? 'listens' : 'listening')
  const late = listenTimeoutMs === null ? [] : [delay(listenTimeoutMs)]
  await Promise.race([listens, ...late])
  if (waitReady) {
    yield `it listened, but did not call process.send('ready')`
    await Promise.race([channel.next('ready'), ...late])
  }
  if (health !== null) yield* healthSteps(channel, health)
  if (!isGated) return
  yield 'it was healthy, but did not get its port'
  const opened = channel.next('opened')
  channel.send({ threadwise: 'open' })
  const { problem } = await opened
  if (problem !== null) throw new Error(problem)
}

async function* healthSteps(channel: InstanceChannel, path: string): AsyncGenerator<string> {
  yield `its health check ${path} gave no answer`
  for (;;) {
    const checked = channel.next('checked')
    channel.send({ threadwise: 'check', path })
    const { isHealthy, answer } = await checked
    if (isHealthy) return
    yield `its health check ${path} did not succeed (${answer})`
    await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS))
  }
}

// A Redis that dies takes with it what its replicas have not heard: then the new main server gives a job away that was started before. So where there
// are replicas, a job that may start once only waits until one of them knows that it was taken.
//
//   taken --> replicas? none ------------------------------> start
//               '--> WAIT --> is the lock ours still? no --> another server is the main one now, and gives the job to others
//                     ^            '--> yes: one has heard --> start
//                     '-- none has: it may be the main one by now -'--> for some seconds --> start

import type { Cluster, Redis } from 'ioredis'
import { machineNow } from '../../wire/machine-clock.js'

/** Milliseconds for an answer of a replica; other commands of the connection wait meanwhile. */
const ANSWER_MS = 300
/** Milliseconds for which it is known whether there are replicas, and for which those that have gone are waited for. */
const KNOWN_MS = 3000
/** Milliseconds for which one start waits, and for which none does after that: a replica that hangs must not hold up everything. */
const PATIENCE_MS = 5000
const DEAF_MS = 30_000

export interface Replicas {
  /** Resolves when one of them knows what was written, and whether the lock is that of `token` still. */
  secure(lock: string, token: string): Promise<boolean>
}

export function createReplicas(client: Redis | Cluster): Replicas {
  let [askedAt, seenAt, deafAt] = [-Infinity, -Infinity, -Infinity]
  let asking: Promise<void> | undefined
  const note = (replicas: number) => {
    askedAt = machineNow()
    if (replicas > 0) seenAt = askedAt
  }
  const ask = (key: string) =>
    (asking ??= count(client, key)
      .then(note, () => note(0)) // who may not ask knows of none
      .finally(() => (asking = undefined)))
  const areThere = (now: number) => now - seenAt < KNOWN_MS && now - deafAt > DEAF_MS
  return {
    async secure(lock, token) {
      const began = machineNow()
      if (began - askedAt > KNOWN_MS) await ask(lock)
      for (let now = began; areThere(now); now = machineNow()) {
        const answer = await waited(client, lock).catch(reasonOf)
        if (answer === 'refused') return true
        if (answer === 'broken' ? client.status === 'end' : answer.holder !== token) return false
        if (answer !== 'broken' && answer.heard > 0) return (note(answer.heard), true)
        if (now - began > PATIENCE_MS) deafAt = now
        await ask(lock)
      }
      return true
    },
  }
}

/** In a cluster those of the server that has this key: a pipeline goes to one server. */
async function count(client: Redis | Cluster, key: string): Promise<number> {
  const [, role] = await answers(client.pipeline().get(key).role())
  const [, , replicas] = role as [string, number, unknown]
  return Array.isArray(replicas) ? replicas.length : 0
}

async function waited(client: Redis | Cluster, lock: string) {
  const [heard, holder] = await answers(client.pipeline().wait(1, ANSWER_MS).get(lock))
  return { heard: Number(heard), holder }
}

/** 'broken': it is asked again on the next connection. */
function reasonOf(error: unknown): 'refused' | 'broken' {
  return (error as Error).name === 'ReplyError' ? 'refused' : 'broken'
}

interface Pipeline {
  exec(): Promise<[Error | null, unknown][] | null>
}

async function answers(pipeline: Pipeline): Promise<unknown[]> {
  return ((await pipeline.exec()) ?? []).map(([error, answer]) => {
    if (error) throw error
    return answer
  })
}

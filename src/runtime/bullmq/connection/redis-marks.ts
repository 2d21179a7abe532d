// What is kept beside the jobs of a queue in Redis: sorted sets by the store's clock, and scripts that do each step whole.

import assert from 'node:assert/strict'
import type { Cluster, Redis } from 'ioredis'
import type { Found, Marks, Withdrawal } from './connection.js'
import { ADOPT, GUARD, KEEP, LOOK, OLDEST, OWNER, RELEASE, SWEEP_KEPT, WITHDRAW } from './redis-scripts.js'

type Run = (...args: readonly (string | number)[]) => Promise<unknown>

const SCRIPTS = {
  look: LOOK,
  withdraw: WITHDRAW,
  keep: KEEP,
  release: RELEASE,
  sweep: SWEEP_KEPT,
  adopt: ADOPT,
  oldest: OLDEST,
  owner: OWNER,
}
/** Milliseconds for which the proof of a write is kept. */
const PROOF_MS = 10_000

export function redisMarks(client: Redis | Cluster, prefix: string, queue: string): Marks {
  const base = `${prefix}:${queue}:`
  const run = defineScripts(client)
  const cursors: Record<string, string> = { completed: '0', failed: '0' }
  return {
    now: () => storeTime(client),
    write: async () => void (await client.set(`${base}threadwise:alive`, '1', 'PX', PROOF_MS)),
    async oldest() {
      const made = Number(await run.oldest(base))
      return made < 0 ? undefined : made
    },
    look: async (ids) => foundIn((await run.look(base, ...ids)) as [number, string][]),
    async owner(id) {
      const [name, opts, isTaken] = (await run.owner(base, id)) as [string | null, string, number]
      return name === null ? undefined : { name, opts, isTaken: isTaken === 1 }
    },
    async withdraw(id, isFinal = false) {
      const [state, made] = (await run.withdraw(base, id, isFinal ? 1 : 0)) as [
        Withdrawal['state'],
        string | undefined,
      ]
      return state === 'taken' ? { state, made: Number(made) } : { state }
    },
    async startsAtEnd(id) {
      const starts = await client.zscore(`${base}threadwise:starts`, id)
      return starts === null ? undefined : Number(starts)
    },
    async keep(ended) {
      await run.keep(base, ...ended.flatMap(({ id, ms, starts }) => [id, Math.ceil(ms), starts ?? 1]))
    },
    async release(seen) {
      await run.release(base, ...seen.flatMap(({ id, ms }) => [id, Math.ceil(ms)]))
    },
    async sweep() {
      for (const set of Object.keys(cursors)) cursors[set] = String(await run.adopt(base, set, cursors[set]!))
      const next = Number(await run.sweep(base))
      return next < 0 ? undefined : next
    },
  }
}

function foundIn(found: readonly [number, string][]): Found[] {
  return found.map(([code, value]) => ({ code, value }))
}

async function storeTime(client: Redis | Cluster): Promise<number> {
  const [seconds, micros] = await client.time()
  return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000)
}

function defineScripts(client: Redis | Cluster): Record<keyof typeof SCRIPTS, Run> {
  const entries = Object.entries(SCRIPTS).map(([name, lua]) => {
    const command = `threadwise:${name}`
    client.defineCommand(command, { numberOfKeys: 1, lua })
    const run: Run = (...args) => (client as unknown as Record<string, Run>)[command]!(...args)
    return [name, run]
  })
  return Object.fromEntries(entries) as Record<keyof typeof SCRIPTS, Run>
}

/** Puts ours before BullMQ's script that adds a job. */
export function guardAdds(client: Redis | Cluster): void {
  const { scriptsSet } = client as unknown as {
    scriptsSet: Record<string, { lua: string; numberOfKeys: number }>
  }
  const names = Object.keys(scriptsSet).filter((name) => name.startsWith('addPrioritizedJob:'))
  for (const name of names) {
    const { lua, numberOfKeys } = scriptsSet[name]!
    if (!lua.startsWith(GUARD)) client.defineCommand(name, { numberOfKeys, lua: GUARD + lua })
  }
  assert.ok(names.length > 0, 'BullMQ has another script now, and adds would not be guarded')
}

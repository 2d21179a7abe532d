// What is kept beside the jobs of a queue in Redis: sorted sets by the store's clock, and scripts that do each step whole.

import type { Withdrawal } from '../../queue/store.js'
import assert from 'node:assert/strict'
import type { Cluster, Redis } from 'ioredis'
import type { End, FoundJob, Marks } from './connection.js'
import {
  ADOPT,
  AFTER_END,
  BEFORE_END,
  DISCARD,
  GUARD,
  KEEP,
  LOOK,
  OLDEST,
  OWNER,
  RELEASE,
  SWEEP_KEPT,
  WITHDRAW,
} from './redis-scripts.js'

type Run = (...args: readonly (string | number)[]) => Promise<unknown>

const SCRIPTS = {
  look: LOOK,
  withdraw: WITHDRAW,
  discard: DISCARD,
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
    discard: async (id) => void (await run.discard(base, id)),
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

function foundIn(found: readonly [number, string][]): FoundJob[] {
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
  wrapScripts(client, 'addPrioritizedJob', (lua) => (lua.startsWith(GUARD) ? lua : GUARD + lua))
}

/** Puts ours around BullMQ's script that ends a job. */
export function joinEnds(
  client: Redis | Cluster,
  base: string,
  endOf: (id: string) => End | undefined,
): void {
  const wrap = (lua: string) => BEFORE_END + lua + AFTER_END
  for (const { name, numberOfKeys } of wrapScripts(client, 'moveToFinished', wrap)) {
    const all = client as unknown as Record<string, (values: unknown[]) => Promise<unknown>>
    const run = all[name]!.bind(client)
    all[name] = (values) => run([...values, ...valuesOf(base, endOf(String(values[numberOfKeys])))])
  }
}

function valuesOf(base: string, end: End | undefined): unknown[] {
  if (!end) return [0]
  const { id, ms, starts = 1, told } = end
  const values = [base, id, Math.ceil(ms), starts, ...told.flatMap(({ channel, text }) => [channel, text])]
  return [...values, values.length]
}

interface Script {
  readonly lua: string
  readonly numberOfKeys: number
}

/** Those of BullMQ that begin so: their names end with its version. */
function wrapScripts(client: Redis | Cluster, begin: string, wrap: (lua: string) => string) {
  const { scriptsSet } = client as unknown as { scriptsSet: Record<string, Script> }
  const names = Object.keys(scriptsSet).filter((name) => name.startsWith(`${begin}:`))
  assert.ok(names.length > 0, `BullMQ has no script ${begin} any more, and what it does would not be guarded`)
  return names.map((name) => {
    const { lua, numberOfKeys } = scriptsSet[name]!
    client.defineCommand(name, { numberOfKeys, lua: wrap(lua) })
    return { name, numberOfKeys }
  })
}

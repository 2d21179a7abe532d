// A reload: one instance after the other is replaced, as long as the new ones live.

import { ThreadwiseError } from '../../errors/errors.js'
import type { Instance } from './instance.js'

type Replace = (old: Instance, rest: string) => Promise<Instance | undefined>
type Fail = (cause: Error, rest: string) => never

/** `replace` resolves with the new one, or without, if the old one was replaced already; `fail` throws. */
export async function replaceAll(old: readonly Instance[], replace: Replace, fail: Fail): Promise<void> {
  const fresh: Instance[] = []
  const check = async (rest: string) => {
    const dead = fresh.find(({ state }) => state === 'gone')
    if (dead) fail(new Error(`it ended ${await dead.gone}, soon after it was ready`), rest)
  }
  for (const [index, instance] of old.entries()) {
    const rest = `${index} of ${old.length} instances were replaced; the others go on serving.`
    await check(rest)
    const next = await replace(instance, rest)
    if (next) fresh.push(next)
  }
  await check('All were replaced, and are started again.')
}

export function instanceFailed(file: string, cause: Error, rest: string): ThreadwiseError {
  return new ThreadwiseError('TW_ERR_INSTANCE_FAILED', { file, reason: cause.message, rest }, { cause })
}

// Ends all instances of a service, which closes its port, without a lost request.

export async function endTogether(instances: readonly Instance[]): Promise<void> {
  await handedOver(instances)
  // The port closes with the last that leaves. Only then answers say that connections end: earlier, clients would
  // connect anew, and wait in a queue that is about to be thrown away.
  await Promise.all(instances.map((instance) => instance.leave()))
  await Promise.all(instances.map((instance) => instance.drain()))
}

/** How long, and how often, it looks whether the connections that have come are with the instances. */
const HAND_OVER_MS = 2000
const LOOK_MS = 10

/** Connections that wait in the primary when the port closes are thrown away by node:cluster. */
async function handedOver(instances: readonly Instance[]): Promise<void> {
  const end = Date.now() + HAND_OVER_MS
  let quiet = 0
  while (quiet < 2 && Date.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    quiet = instances.some(({ onTheWay }) => onTheWay > 0) ? 0 : quiet + 1
  }
}

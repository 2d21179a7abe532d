// A reload: one instance after the other is replaced, as long as the new ones live.

import { ThreadwiseError } from '../errors.js'
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

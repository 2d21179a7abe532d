// What a page may have done: read from what it sends, asked in words, and done as the commands of the same name do it.

import { checkCount, checkOption, checkWord } from '../../errors/check-options.js'
import { isThreadwiseError } from '../../errors/errors.js'
import { resizePool } from '../../runtime/control/control-client.js'
import { checkInstances } from '../../serve/contract/resolve-options.js'
import { checkName } from '../../serve/contract/service-name.js'
import { askService } from '../../serve/control/control-client.js'
import { stopService } from '../../serve/control/stop-service.js'
import { count, reload } from '../serving/change-service.js'
import { restartOne, startOne } from '../serving/run-lifecycle.js'
import { plainLines } from '../terminal/plain.js'
import { takeProfile } from './take-profile.js'
import type { Action, ActionOutcome } from './look/view.js'

const TYPES = ['reload', 'restart', 'stop', 'start', 'profile', 'scale', 'resize'] as const
const MOST_WORKERS = 4096

/** @throws TW_ERR_INVALID_OPTION */
export function readAction(value: unknown): Action {
  const given = Object(value) as Record<string, unknown>
  const { type, service, instances, pid, pool, min, max } = given
  checkWord('type', type, TYPES)
  if (type === 'resize') {
    checkCount('pid', pid, 2 ** 31)
    checkOption(typeof pool === 'string' && pool.length < 1000, 'pool', 'the name of a pool', pool)
    checkCount('min', min, MOST_WORKERS, 0)
    checkCount('max', max, MOST_WORKERS)
    return { type, pid, pool, min, max } as Action
  }
  checkName(service, 'service')
  if (type === 'scale') checkInstances(instances)
  return (type === 'scale' ? { type, service, instances } : { type, service }) as Action
}

/** What is to be agreed to. */
export function questionOf(action: Action): string {
  switch (action.type) {
    case 'reload':
      return `Reload ${action.service}? All its instances are replaced. A server loses no request; what has no port has a gap.`
    case 'restart':
      return `Restart ${action.service}? It ends and starts again, as it was started: with a gap.`
    case 'stop':
      return `Stop ${action.service}? Its requests may end; then it serves no more.`
    case 'start':
      return `Start ${action.service} again, as it was started?`
    case 'scale':
      return `Run ${action.service} in ${count(action.instances)} from now on?`
    case 'resize':
      return `Give the pool ${action.pool} of process ${action.pid} ${sizeOf(action)} from now on? Surplus workers finish what they have.`
    case 'profile':
      return `Take a profile of ${action.service}? threadwise doctor looks at one of its instances for about half a minute, which slows that one down.`
  }
}

/** Never rejects. */
export async function perform(action: Action, signal: AbortSignal): Promise<ActionOutcome> {
  try {
    const outcome = await act(action, signal)
    return typeof outcome === 'string' ? { ok: true, text: plainLines(outcome.trim()) } : outcome
  } catch (error) {
    const { message } = error as Error
    return { ok: false, text: plainLines(isThreadwiseError(error) ? `${message} [${error.code}]` : message) }
  }
}

async function act(action: Action, signal: AbortSignal): Promise<string | ActionOutcome> {
  switch (action.type) {
    case 'reload':
      return reload(action.service, {})
    case 'restart':
      return (await restartOne(action.service, {})) ?? 'interrupted'
    case 'start':
      return (await startOne(action.service, {})) ?? 'interrupted'
    case 'stop':
      await stopService(action.service, () => {})
      return `${action.service}: stopped`
    case 'scale': {
      const { wanted } = await askService(action.service, { command: 'scale', instances: action.instances })
      return `${action.service}: ${count(wanted)}`
    }
    case 'resize': {
      const { pid, pool, min, max } = action
      const { size } = await resizePool(pid, pool, min === max ? max : { min, max })
      return `${pool}: ${size} workers up or starting, ${sizeOf(action)} from now on`
    }
    case 'profile':
      return takeProfile(action.service, signal)
  }
}

function sizeOf({ min, max }: { min: number; max: number }): string {
  return min === max ? `${max} ${max === 1 ? 'worker' : 'workers'}` : `${min} to ${max} workers`
}

// What several commands do to a service: stop it, reload it.

import { askService } from '../../serve/control/control-client.js'
import { stopService } from '../../serve/control/stop-service.js'
import { ownContext } from '../background/start-context.js'

export interface StartFlags {
  /** With the variables of this shell, not with those of its start. */
  updateEnv?: boolean
}

export function stop(name: string): Promise<void> {
  return stopService(name, (text) => process.stderr.write(`${name}: ${text}\n`))
}

/** Resolves with what to say. */
export async function reload(name: string, { updateEnv }: StartFlags): Promise<string> {
  const env = updateEnv ? ownContext().env : undefined
  const { instances, kind } = await askService(name, { command: 'reload', env })
  if (kind === 'job' && instances.length === 0)
    return `${name}: does not run now; its next run is of what is there then\n`
  if (kind === 'server') return `${name}: reloaded, ${count(instances.length)}\n`
  return `${name}: restarted, ${count(instances.length)}, with a gap: it has no port that an old and a new one could share\n`
}

export function count(instances: number): string {
  return `${instances} ${instances === 1 ? 'instance' : 'instances'}`
}

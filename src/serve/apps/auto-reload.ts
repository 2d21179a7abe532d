// Reloads a service when its files change, and at the times of its cron option; or runs a job at these times.

import { dirname } from 'node:path'
import type { Service } from '../service/service.js'
import type { AppPlan } from './app-plan.js'
import { createCron } from './cron.js'
import { pathsLike } from './paths-like.js'
import { watchFolder } from './watch-folder.js'
import { watchListed } from './watch-listed.js'

/** A service with `runJob` is a job. Gives a function that ends it. */
export function startAutoReload(
  service: Pick<Service, 'reload'> & Partial<Pick<Service, 'runJob'>>,
  plan: AppPlan,
  say: (text: string) => void,
): () => void {
  const reload = (why: string) => {
    say(`${why}: reloading`)
    // The old instances go on, and the version after the next change may work.
    service.reload().catch((error: Error) => say(error.message))
  }
  const ends: (() => void)[] = []
  const { cron, watch, file, ignoreWatch = [], options } = plan
  if (cron !== null) {
    const run = () => void service.runJob!().catch((error: Error) => say(error.message))
    const times = createCron(cron, service.runJob ? run : () => reload(`cron ${cron}`))
    ends.push(() => times.stop())
  }
  if (watch && typeof file === 'string') {
    const onProblem = (folder: string, reason: string) => say(`changes of ${folder} are not seen: ${reason}`)
    const folder = options.cwd ?? dirname(file)
    const isIgnored = pathsLike(ignoreWatch, [folder, dirname(file)])
    const listener = { onChange: () => reload('files changed'), onProblem, isIgnored }
    ends.push(watch === true ? watchFolder(dirname(file), listener) : watchListed(watch, folder, listener))
  }
  return () => ends.forEach((end) => end())
}

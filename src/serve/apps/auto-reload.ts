// Reloads a service when its files change, and at the times of its cron option.

import { dirname } from 'node:path'
import type { Service } from '../service/service.js'
import type { AppPlan } from './app-plan.js'
import { createCron } from './cron.js'
import { watchFolder } from './watch-folder.js'

/** Gives a function that ends it. */
export function startAutoReload(
  service: Pick<Service, 'reload'>,
  plan: AppPlan,
  say: (text: string) => void,
): () => void {
  const reload = (why: string) => {
    say(`${why}: reloading`)
    // The old instances go on, and the version after the next change may work.
    service.reload().catch((error: Error) => say(error.message))
  }
  const ends: (() => void)[] = []
  const { cron, watch, file } = plan
  if (cron !== null) {
    const times = createCron(cron, () => reload(`cron ${cron}`))
    ends.push(() => times.stop())
  }
  if (watch) {
    const onProblem = (folder: string, reason: string) => say(`changes of ${folder} are not seen: ${reason}`)
    ends.push(watchFolder(dirname(file), { onChange: () => reload('files changed'), onProblem }))
  }
  return () => ends.forEach((end) => end())
}

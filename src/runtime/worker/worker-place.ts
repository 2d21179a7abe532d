// The worker as its tasks see it, with the data that it was given.

import { receive } from '../wire/codec/packet.js'
import { readCallbacks } from '../task/callback.js'
import { registry, type WorkerInfo, type WorkerPlace } from '../task/task-context.js'

/** From now on the module that is about to be loaded finds it. `carried`: as it came. */
export function enterPlace(info: WorkerInfo, carried: unknown): WorkerPlace {
  let data: { readonly value: unknown } | undefined
  const place: WorkerPlace = {
    info,
    get workerData() {
      return (data ??= {
        value: receive(carried, { what: 'workerData', task: 'setup', where: 'in the worker' }),
      }).value
    },
  }
  registry.place = place
  readCallbacks()
  return place
}

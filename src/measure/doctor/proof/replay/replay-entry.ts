// A fresh process that makes real calls again, with nothing of the app but the task module.

import { replay } from './replay.js'
import type { ReplayJob } from './replay-messages.js'

process.once('message', (job: ReplayJob) => {
  void replay(job).then((result) => process.send!(result, () => process.exit()))
})

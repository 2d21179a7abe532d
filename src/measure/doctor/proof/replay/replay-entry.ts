// A fresh process that makes real calls again, with nothing of the app but the task module.

import { forbidEffects } from './no-effects.js'
import { replay } from './replay.js'
import type { ReplayJob } from './replay-messages.js'

process.once('message', (job: ReplayJob) => {
  void replay(job, forbidEffects()).then((result) => process.send!(result, () => process.exit()))
})

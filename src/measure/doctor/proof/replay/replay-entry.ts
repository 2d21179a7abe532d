// A fresh process that makes real calls again, with nothing of the app but the task module.
//
// It gets its job by its standard input and answers by a pipe: a message channel would be open to the calls, and what they write there is read by doctor.

import { readFileSync, writeSync } from 'node:fs'
import { deserialize } from 'node:v8'
import { openClosures } from '../../state/closures.js'
import { rememberLanguage } from '../../state/language.js'
import { forbidEffects } from './no-effects.js'
import { findUnrun, replay } from './replay.js'
import { RESULT_PIPE, type ReplayJob, type ReplayResult, type UnrunResult } from './replay-messages.js'
import { watchClock } from './watch-clock.js'
import { watchPrinting } from './watch-printing.js'

const write = writeSync
/** What a call may have hung on the event 'exit' is not run. */
const end = (process as unknown as { reallyExit(code: number): never }).reallyExit.bind(process)

function answer(result: ReplayResult | UnrunResult): never {
  write(RESULT_PIPE, JSON.stringify(result))
  return end(0)
}

const job = deserialize(readFileSync(0)) as ReplayJob
/** What Node.js does not keep from happening is not tried; what was tried behind these walls, and did nothing, is. */
const WALLS = ['fs.write', 'child', 'worker']
const { permission } = process as { permission?: { has(scope: string): boolean } }
const isOpen = permission === undefined || WALLS.some((scope) => permission.has(scope))
if (isOpen && !job.didNothing)
  answer({ loadError: 'this Node.js has no permission model, which keeps calls from doing things again' })
// From the loop: before it turns nobody knows how much of its time it waits.
setImmediate(() => {
  const closures = job.findsUnrun ? null : openClosures()
  const around = { tried: forbidEffects(), clock: watchClock(), printed: watchPrinting() }
  if (job.findsUnrun) return void findUnrun(job, around).then(answer)
  // With what was replaced above, which is none of the app's.
  const tools = closures && { closures, language: rememberLanguage() }
  void replay(job, { ...around, tools }).then(answer)
})

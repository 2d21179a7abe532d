// Warns, once for each executor, of a map() whose inputs take longer to copy than to work on: no worker gains anything by them.

import type { ChunkTimes } from './chunk-size.js'

/** Milliseconds of reading from which on it matters; less is lost in the noise of a start. */
const MIN_MS = 50
/** Calls that must have been like that, and the share of all: where others take the CPU meanwhile, a few always are. */
const MIN_CALLS = 8
const MIN_SHARE = 0.75

export interface CopyCosts {
  /** Looks at the answers of one map. */
  watch(task: string): (answer: ChunkTimes) => void
}

/** `describe`: how the executor is called, such as: threads "render". Asked only for the warning. */
export function createCopyCosts(describe: () => string): CopyCosts {
  let isTold = false
  return {
    watch(task) {
      let calls = 0
      let inVain = 0
      let inputs = 0
      let workMs = 0
      let readMs = 0
      return ({ results, us, readUs = 0, isAsync }) => {
        if (isTold || isAsync) return // how long a promise works nobody knows
        calls++
        if (readUs > us) inVain++
        inputs += results.length
        workMs += us / 1000
        readMs += readUs / 1000
        if (readMs < MIN_MS || readMs <= workMs) return
        if (inVain < MIN_CALLS || inVain < MIN_SHARE * calls) return
        isTold = true
        warn(`map("${task}") of ${describe()}`, { inputs, workMs, readMs })
      }
    },
  }
}

interface Costs {
  readonly inputs: number
  readonly workMs: number
  readonly readMs: number
}

function warn(map: string, { inputs, workMs, readMs }: Costs): void {
  const message =
    `${map} copies more than it works: its workers have read ${inputs} inputs in ${Math.round(readMs)} ms, and worked on them ` +
    `for ${Math.round(workMs)} ms. To write them has cost this thread about as much as to read them.`
  const detail =
    'Numbers of many rows travel best as columns: one typed array over a SharedArrayBuffer for each field, which no call copies, and the rows from and to ' +
    'for each call (docs/parallel.md, "Rows as columns"). Or let each call do more work.'
  process.emitWarning(message, { type: 'ThreadwiseWarning', code: 'TW_WARN_COPIES', detail })
}

// Runs test files, each in a process of its own, and a file that failed once more, alone, when all others are done: so a red run means a
// fault, and chance stops no change.
//
//   passed                                    green
//   failed ─> runs again, alone ─> passed     green, and told as flaky with the whole output of its first failure
//          │                    └> failed     red
//          ├> it crashed: a signal, or an exit code that is no test's                      red, no second run
//          ├> it ran out of time: what it has started, it could not end                    ended for it, and runs again
//          └> more than MAX_AGAIN files failed: it is the machine, or the change           red, no second run, and no further file begins
import { relative } from 'node:path'
import { run } from 'node:test'

/** Milliseconds for a whole file, on a slow machine. */
const FILE_MS = 300_000
/** Files that may fail by chance in one run. */
const MAX_AGAIN = 5
/** Of the files that took longest so many are told. */
const LONGEST = 12
/** How a test file ends whose tests failed. */
const TESTS_FAILED = 1
/** What a run tells of its counts at its end. */
const COUNT = /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) ([\d.]+)$/

/**
 * What became of one test file.
 *
 * @typedef {object} Outcome
 * @property {string} file its path
 * @property {object[]} events of node:test, for a reporter
 * @property {string[]} failed names of the tests that failed, their suites before them
 * @property {boolean} crashed whether its process ended as no test ends it
 * @property {boolean} isLate whether it was ended because it ran out of time
 * @property {number} ms how long it took
 */

/**
 * Runs files group by group, and gives the events of those that count, with one summary at the end.
 *
 * @param {{ files: string[], atOnce: number, prepare?: () => void }[]} groups one after the other; `prepare` comes before each group, and before
 *   a file of it that runs again
 * @param {{ again?: boolean, signal?: AbortSignal, root: string, fileMs?: number, beforeAgain?: (isLate: boolean) => Promise<void> }} options `again`:
 *   false for no second run; `signal` ends what runs; `fileMs` for each file; `beforeAgain` is awaited before the first second run, when no file
 *   runs: `isLate`, one of them ran out of time
 * @returns {{ events: AsyncGenerator<object>, told: { isRed: boolean, flaky: Outcome[], longest: Outcome[], groups: object[], notRun: number } }} `told` is whole
 *   when the events have ended
 */
export function runFiles(groups, { again = true, signal, root, fileMs = FILE_MS, beforeAgain }) {
  const told = { isRed: false, flaky: [], longest: [], groups: [], notRun: 0 }
  return { events: withOneSummary(all()), told }

  async function* all() {
    const failed = []
    const isOver = () => signal?.aborted || (again && failed.length > MAX_AGAIN)
    for (const group of groups) {
      const begun = performance.now()
      for await (const outcome of sideBySide(group, isOver)) {
        note(outcome)
        if (!isRed(outcome)) yield* outcome.events
        else if (!again || outcome.crashed) yield* red(outcome)
        else {
          failed.push({ outcome, group })
          yield notice(
            `${nameOf(outcome)} failed${isOver() ? '' : ', and runs again when all others are done'}`,
          )
        }
      }
      told.groups.push({ ms: performance.now() - begun, files: group.files, atOnce: group.atOnce })
    }
    if (isOver()) for (const { outcome } of failed) yield* red(outcome)
    else if (failed.length > 0) {
      await beforeAgain?.(failed.some(({ outcome }) => outcome.isLate))
      for (const each of failed) yield* secondRun(each)
    }
    yield* ending()
  }

  async function* sideBySide({ files, atOnce, prepare }, isOver) {
    prepare?.()
    const left = [...files]
    const running = new Map()
    while (running.size > 0 || (left.length > 0 && !isOver())) {
      while (running.size < atOnce && left.length > 0 && !isOver()) {
        const file = left.shift()
        running.set(file, runFile(file, { signal, fileMs }))
      }
      const outcome = await Promise.race(running.values())
      running.delete(outcome.file)
      yield outcome
    }
    told.notRun += left.length
  }

  async function* secondRun({ outcome, group }) {
    group.prepare?.()
    const second = await runFile(outcome.file, { signal, fileMs })
    if (isRed(second)) {
      yield notice(`${nameOf(outcome)} failed twice, at first in ${outcome.failed.join(', ')}`)
      yield* red(second)
    } else {
      told.flaky.push(outcome)
      yield* second.events
    }
  }

  function* red(outcome) {
    told.isRed = true
    yield* outcome.events
  }

  function* ending() {
    if (signal?.aborted) told.isRed = true
    if (told.notRun > 0) yield notice(`${told.notRun} files did not run`)
    for (const { ms, files, atOnce } of told.groups)
      yield notice(`${seconds(ms)} ${files.length === 1 ? nameOf({ file: files[0] }) : `${files.length} files, ${atOnce} side by side, from ${nameOf({ file: files[0] })}`}`) // prettier-ignore
    yield notice('the longest of them:')
    for (const outcome of told.longest) yield notice(`${seconds(outcome.ms)} ${nameOf(outcome)}`)
  }

  function note(outcome) {
    told.longest = [...told.longest, outcome].sort((a, b) => b.ms - a.ms).slice(0, LONGEST)
  }

  function nameOf({ file }) {
    return relative(root, file)
  }
}

/** Runs one file, to its end. @returns {Promise<Outcome>} */
export async function runFile(file, { signal, fileMs = FILE_MS } = {}) {
  const events = []
  const failed = []
  const path = []
  let crashed = false
  let isLate = false
  const begun = performance.now()
  for await (const event of run({ files: [file], concurrency: 1, timeout: fileMs, signal })) {
    events.push(event)
    const { name, nesting, details, todo } = event.data
    if (event.type === 'test:start') path[nesting] = name
    if (event.type !== 'test:fail' || todo !== undefined) continue
    const { failureType, exitCode, signal: endedBy } = details.error
    if (failureType !== 'subtestsFailed') failed.push([...path.slice(0, nesting), name].join(' > '))
    if (nesting === 0 && failureType === 'testTimeoutFailure') isLate = true
    if (endedBy || (exitCode && exitCode !== TESTS_FAILED)) crashed = true
  }
  return { file, events, failed, crashed, isLate, ms: performance.now() - begun }
}

function seconds(ms) {
  return `${(ms / 1000).toFixed(0).padStart(4)} s`
}

function isRed({ failed }) {
  return failed.length > 0
}

function notice(message) {
  return { type: 'test:diagnostic', data: { nesting: 0, message } }
}

/** Each file ends with its counts. Their sums come instead, at the end of all. */
async function* withOneSummary(events) {
  const begun = performance.now()
  const sums = new Map()
  for await (const event of events) {
    const [, name, count] = (event.type === 'test:diagnostic' && COUNT.exec(event.data.message)) || []
    if (name) sums.set(name, (sums.get(name) ?? 0) + Number(count))
    else yield event
  }
  sums.set('duration_ms', Math.round(performance.now() - begun)) // not a sum: files run side by side
  for (const [name, sum] of sums) yield notice(`${name} ${sum}`)
}

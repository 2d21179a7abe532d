// Tells of files that failed and passed when they ran again: at the end of the run, and in a file that outlives it.
import { appendFileSync, mkdirSync, rmSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { Readable } from 'node:stream'
import { spec } from 'node:test/reporters'

/**
 * Writes each flaky test by name, then the whole output of its first run, to standard output and to a file: build/flaky.txt, which each run
 * writes anew, or the one that THREADWISE_FLAKY_FILE names, to which several runs add.
 *
 * @param {import('./run-files.mjs').Outcome[]} outcomes first runs
 * @param {string} root paths are told from here
 */
export async function tellFlaky(outcomes, root) {
  const kept = process.env.THREADWISE_FLAKY_FILE
  const path = kept ?? join(root, 'build/flaky.txt')
  if (!kept) rmSync(path, { force: true })
  if (outcomes.length === 0) return
  const text = (await Promise.all(outcomes.map((outcome) => describe(outcome, root)))).join('\n')
  console.log(`\n${text}`)
  mkdirSync(dirname(path), { recursive: true })
  appendFileSync(path, text)
  console.log(`This is also in ${path}`)
}

async function describe({ file, failed, events }, root) {
  const names = failed.map((name) => `flaky: ${relative(root, file)} > ${name}`)
  const output = await Readable.from(events).compose(new spec()).toArray()
  return `${names.join('\n')}\n${output.join('')}`
}

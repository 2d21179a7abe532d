// Finds processes that a run of tests has left behind: each that starts from here carries the mark of the run in its environment.
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

const VARIABLE = 'THREADWISE_TEST_RUN'
/** Milliseconds that what was told to end has for it. */
const PATIENCE = 5000

/** Marks all that this process starts from now on. */
export function markChildren() {
  process.env[VARIABLE] = `${process.pid}-${Date.now()}`
}

/** Ends what still lives a moment after the last test. @returns {Promise<string[]>} the pid and command line of each; without /proc none */
export async function endLeftBehind() {
  const until = performance.now() + PATIENCE
  let left = marked()
  while (left.length > 0 && performance.now() < until) {
    await delay(100)
    left = marked()
  }
  for (const { pid } of left) end(pid)
  return left.map(({ pid, command }) => `${pid} ${command}`)
}

function marked() {
  const mark = `${VARIABLE}=${process.env[VARIABLE]}`
  let pids
  try {
    pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
  } catch {
    return []
  }
  return pids.flatMap((pid) => {
    if (!read(pid, 'environ').split('\0').includes(mark)) return []
    const command = read(pid, 'cmdline').replaceAll('\0', ' ').trim()
    return command ? [{ pid: Number(pid), command }] : [] // one that has ended, and whose parent has not asked, has none
  })
}

function read(pid, name) {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8')
  } catch {
    return '' // it has ended, or is another user's
  }
}

function end(pid) {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // it has ended meanwhile
  }
}

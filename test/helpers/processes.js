// Finds processes that a test left behind: those that carry a variable which only it has set.
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

/** Ids of the processes with this variable ('NAME=value') in their environment; waits for those that are ending. Linux. */
export async function livingWith(variable, limitMs = 10_000) {
  const end = Date.now() + limitMs
  for (;;) {
    const found = findAll(variable)
    if (found.length === 0 || Date.now() > end) return found
    await delay(20)
  }
}

function findAll(variable) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => environmentOf(pid).includes(variable))
    .map(Number)
}

/** Empty for a zombie, and for what has ended meanwhile. */
function environmentOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
  } catch {
    return []
  }
}

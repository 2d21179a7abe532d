// Walks through all interleavings of a few small state machines that share memory.
//
// A system is { start, machines }. `start` is a plain object: all shared words, and the program counter of each machine. A
// machine is a function from a state to the list of states that one atomic step of it can lead to: none while it sleeps or
// has ended. The walk visits each state once, and gives those in which nobody can move any more.

/** A walk that gets longer than this tells nothing: the system must be made smaller. */
const MOST_STATES = 3_000_000

/**
 * @param {{ start: object, machines: ((state: object) => object[])[] }} system
 * @param {(state: object) => string | undefined} violation what is wrong with a state, if anything is
 * @param {(state: object) => boolean} isWrongEnd the walk is over when it has found such an end
 * @returns {{ states: number, ends: object[], violation?: string, state?: object }}
 */
export function explore({ start, machines }, violation = () => undefined, isWrongEnd = () => false) {
  const seen = new Set([keyOf(start)])
  const stack = [start]
  const ends = []
  while (stack.length > 0) {
    if (seen.size > MOST_STATES) throw new Error(`more than ${MOST_STATES} states`)
    const state = stack.pop()
    const problem = violation(state)
    if (problem) return { states: seen.size, ends, violation: problem, state }
    let moves = 0
    for (const machine of machines) {
      for (const next of machine(state)) {
        moves++
        const key = keyOf(next)
        if (seen.has(key)) continue
        seen.add(key)
        stack.push(next)
      }
    }
    if (moves > 0) continue
    ends.push(state)
    if (isWrongEnd(state)) break
  }
  return { states: seen.size, ends }
}

/**
 * 53 bits of the text of a state (cyrb53, github.com/bryc/code). Two states of a million share one with a probability of
 * 0.006 %; the texts themselves would need gigabytes.
 */
function keyOf(state) {
  const text = JSON.stringify(state)
  let a = 0xdeadbeef
  let b = 0x41c6ce57
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    a = Math.imul(a ^ code, 2654435761)
    b = Math.imul(b ^ code, 1597334677)
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909)
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909)
  return 4294967296 * (2097151 & b) + (a >>> 0)
}

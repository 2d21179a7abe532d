// Walks through all interleavings of a few small state machines that share memory.
//
// A system is { start, machines }. `start` is a plain object: all shared words, and the program counter of each machine. A
// machine is a function from a state to the list of states that one atomic step of it can lead to: none while it sleeps or
// has ended. The walk visits each state once, and gives those in which nobody can move any more.

/** A walk that gets longer than this tells nothing: the system must be made smaller. */
const MAX_STATES = 3_000_000

/**
 * @param {{ start: object, machines: ((state: object) => object[])[] }} system
 * @param {(state: object) => string | undefined} violation what is wrong with a state, if anything is
 * @param {(state: object) => boolean} isWrongEnd the walk is over when it has found such an end
 * @returns {{ states: number, ends: object[], violation?: string, state?: object }}
 */
export function explore({ start, machines }, violation = () => undefined, isWrongEnd = () => false) {
  const seen = keySet()
  const keyOf = keyMaker()
  seen.add(keyOf(start))
  const stack = [start]
  const ends = []
  while (stack.length > 0) {
    if (seen.size() > MAX_STATES) throw new Error(`more than ${MAX_STATES} states`)
    const state = stack.pop()
    const problem = violation(state)
    if (problem) return { states: seen.size(), ends, violation: problem, state }
    let moves = 0
    for (const machine of machines) {
      for (const next of machine(state)) {
        moves++
        if (seen.add(keyOf(next))) stack.push(next)
      }
    }
    if (moves > 0) continue
    ends.push(state)
    if (isWrongEnd(state)) break
  }
  return { states: seen.size(), ends }
}

/** Numbers in a table with open addressing: a Set of as many takes a large part of the whole walk. */
function keySet() {
  const places = 2 ** 23 // so that it is never half full
  const table = new Float64Array(places) // the system gives it pages only where something is written
  let size = 0
  return {
    size: () => size,
    /** Whether it was not there. */
    add(key) {
      let at = key % places
      while (table[at] !== 0) {
        if (table[at] === key) return false
        at = (at + 1) % places
      }
      table[at] = key
      size++
      return true
    },
  }
}

/**
 * Gives a function from a state to 53 bits of it (cyrb53, github.com/bryc/code), over its values in their order: all states of a system have
 * the same names. Two states of a million share one with a probability of 0.006 %; the texts themselves would need gigabytes, and take far longer.
 */
function keyMaker() {
  const ids = new Map()
  let a, b
  const mix = (word) => {
    a = Math.imul(a ^ word, 2654435761)
    b = Math.imul(b ^ word, 1597334677)
  }
  const idOf = (word) => {
    const known = ids.get(word)
    if (known !== undefined) return known
    ids.set(word, 1000 + ids.size) // beside the small numbers of models
    return 999 + ids.size
  }
  const mixAll = (value) => {
    if (typeof value === 'number') return mix(value)
    if (typeof value !== 'object') return mix(idOf(value))
    if (Array.isArray(value)) {
      mix(idOf('['))
      mix(value.length)
      for (const item of value) mixAll(item)
      return
    }
    for (const name in value) mixAll(value[name])
  }
  return (state) => {
    a = 0xdeadbeef
    b = 0x41c6ce57
    mixAll(state)
    a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909)
    b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909)
    return 4294967296 * (2097151 & b) + (a >>> 0) + 1 // 0 is an empty place
  }
}

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

/**
 * Walks through a system in which something may go round for ever, as where somebody looks by the clock, so that the states in which nobody can
 * move tell nothing. Finds a state from which no `isGood` state can be reached any more: without one, such a state is reached in the end, as
 * long as nothing that can happen again and again is put off for ever.
 *
 * @returns {{ states: number, goods: number, violation?: string, state?: object, trap?: object }}
 */
export function findTrap(system, isGood, violation = () => undefined) {
  const good = []
  /** Which state was there before, and which comes of it. */
  const edges = { from: [], to: [] }
  let wrong
  const states = walk(system, (state, number) => {
    const problem = violation(state)
    if (problem) wrong = { violation: problem, state }
    if (isGood(state)) good.push(number)
    return !problem
  }, edges) // prettier-ignore
  if (wrong) return { states, goods: good.length, ...wrong }
  const trap = cannotReach(good, edges, states)
  let found
  if (trap >= 0) walk(system, (state, number) => number !== trap || ((found = state), false))
  return { states, goods: good.length, trap: found }
}

/** Calls `visit` for each state, with its number, until it gives false. Keeps the states only until they were visited. Returns how many there are. */
function walk({ start, machines }, visit, edges) {
  const keyOf = keyMaker()
  const numbers = new Map([[keyOf(start), 0]])
  let coming = [start]
  for (let at = 0; coming.length > 0;) {
    if (numbers.size > MAX_STATES) throw new Error(`more than ${MAX_STATES} states`)
    const next = []
    for (const state of coming) {
      const from = at++
      if (!visit(state, from)) return numbers.size
      for (const machine of machines) {
        for (const other of machine(state)) {
          const key = keyOf(other)
          let number = numbers.get(key)
          if (number === undefined) {
            numbers.set(key, (number = numbers.size))
            next.push(other)
          }
          edges?.from.push(from)
          edges?.to.push(number)
        }
      }
    }
    coming = next
  }
  return numbers.size
}

/** The first of the states 0, 1, ... from which none of these is reached; -1: there is none. */
function cannotReach(good, { from, to }, states) {
  const begin = new Uint32Array(states + 1)
  for (const number of to) begin[number + 1]++
  for (let i = 0; i < states; i++) begin[i + 1] += begin[i]
  const before = new Uint32Array(from.length)
  const filled = begin.slice()
  for (let i = 0; i < from.length; i++) before[filled[to[i]]++] = from[i]
  const canReach = new Uint8Array(states)
  const found = good.slice()
  for (const number of found) canReach[number] = 1
  while (found.length > 0) {
    const number = found.pop()
    for (let i = begin[number]; i < begin[number + 1]; i++) {
      if (canReach[before[i]]) continue
      canReach[before[i]] = 1
      found.push(before[i])
    }
  }
  return canReach.indexOf(0)
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

// A small seeded random generator, so that a run can be repeated exactly from its seed.

/** Gives the next number in [0, 1). */
export type Random = () => number

/**
 * A generator whose whole sequence follows from `seed` (any integer; taken modulo 2^32).
 *
 * xoshiro128** 1.1 (Blackman and Vigna, "Scrambled linear pseudorandom number generators", ACM TOMS 47, 2021), its state
 * filled by splitmix32 as its authors advise, since an all-zero state would give zeros for ever. Not for secrets.
 *
 * @example
 * const random = createRandom(42)
 * const order = shuffle(['inline', 'threads', 'processes'], random)
 */
export function createRandom(seed: number): Random {
  const fill = splitmix32(seed)
  const state = new Uint32Array([fill(), fill(), fill(), fill()]) as Uint32Array &
    [number, number, number, number]
  return () => {
    const result = Math.imul(rotateLeft(Math.imul(state[1], 5), 7), 9) >>> 0
    const shifted = state[1] << 9
    state[2] ^= state[0]
    state[3] ^= state[1]
    state[1] ^= state[2]
    state[0] ^= state[3]
    state[2] ^= shifted
    state[3] = rotateLeft(state[3], 11)
    return result / 2 ** 32
  }
}

/** A copy of `items` in random order, every order equally likely (Fisher and Yates; Durstenfeld, CACM 7, 1964). */
export function shuffle<T>(items: readonly T[], random: Random): T[] {
  const shuffled = [...items]
  for (let last = shuffled.length - 1; last > 0; last--) {
    const picked = Math.floor(random() * (last + 1))
    ;[shuffled[last], shuffled[picked]] = [shuffled[picked] as T, shuffled[last] as T]
  }
  return shuffled
}

function rotateLeft(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits))
}

/** Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (OOPSLA 2014), with murmur3's 32-bit finaliser. */
function splitmix32(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x9e3779b9) >>> 0
    let mixed = Math.imul(state ^ (state >>> 16), 0x85ebca6b)
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
    return (mixed ^ (mixed >>> 16)) >>> 0
  }
}

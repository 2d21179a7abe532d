// Lanes: the places of a pool's workers, numbered from 0. A worker that replaces another one takes over its lane.

/** The lane of all calls with this key. */
export function laneOf(key: string | number, lanes: number): number {
  return hashOf(key) % lanes
}

/**
 * FNV-1a, 32 bits (www.isthe.com/chongo/tech/comp/fnv), over its characters. Its low
 * bits depend on the low bits of the characters only, so a last step of MurmurHash3 (Appleby) mixes them with the others. It
 * begins with digits of e: with the usual number the keys 0 to 9 had the same one of two lanes.
 */
export function hashOf(key: string | number): number {
  const text = String(key)
  let hash = 0xb7e15162
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** The lowest number that is free. */
export function freeLane(taken: readonly { readonly lane: number }[]): number {
  let lane = 0
  while (taken.some((each) => each.lane === lane)) lane++
  return lane
}

// A number for a text, which is the same in every process and spreads well whatever the texts have in common.

/**
 * FNV-1a, 32 bits (www.isthe.com/chongo/tech/comp/fnv), over its characters. Its low bits depend on the low bits of the characters
 * only, and neighbouring texts have results that go along with each other, so the last steps of MurmurHash3 (Appleby) mix
 * all bits. It begins with digits of e: with the usual number the keys 0 to 9 had the same one of two lanes.
 */
export function hashOf(text: string): number {
  let hash = 0xb7e15162
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

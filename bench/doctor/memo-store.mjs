// What translate() of apps/memo.mjs uses.
const known = new Map()

export function remember(key, find) {
  if (!known.has(key)) known.set(key, find())
  return known.get(key)
}

// Tasks of known cost, each with twins that cost a known share more: what bench/compare.mjs compares.

let extra = 0

/** So many steps that no compiler leaves out. */
function steps(count, seed) {
  let x = seed | 0
  for (let i = 0; i < count; i++) x = (Math.imul(x, 1664525) + 1013904223) | 0
  return x
}

// The same work, and a share of it again: two loops, so that the first one is compiled as that of its twin.
const slower = (count, share) => (seed) => {
  const result = steps(count, seed)
  extra = steps(Math.round(count * share), result)
  return result
}

export const spent = () => extra

const sizes = { ns: 60, us50: 40_000, ms1: 800_000, ms20: 16_000_000 }

export const ns = slower(sizes.ns, 0)
export const ns2 = slower(sizes.ns, 0.02)
export const ns5 = slower(sizes.ns, 0.05)
export const us50 = slower(sizes.us50, 0)
export const us502 = slower(sizes.us50, 0.02)
export const us505 = slower(sizes.us50, 0.05)
export const ms1 = slower(sizes.ms1, 0)
export const ms12 = slower(sizes.ms1, 0.02)
export const ms15 = slower(sizes.ms1, 0.05)
export const ms20 = slower(sizes.ms20, 0)
export const ms202 = slower(sizes.ms20, 0.02)
export const ms205 = slower(sizes.ms20, 0.05)

function lists(count) {
  const rows = []
  for (let i = 0; i < count; i++) rows.push({ id: i, name: `row ${i}`, tags: [i, i + 1] })
  return JSON.stringify(rows).length
}

export const alloc = (count) => lists(count)
export const alloc2 = (count) => lists(count) + 0 * lists(Math.round(count * 0.02))
export const alloc5 = (count) => lists(count) + 0 * lists(Math.round(count * 0.05))

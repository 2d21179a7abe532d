import { createHash } from 'node:crypto'

/** The check digits of a label; many turns, so that nobody can try them all. */
export function label(id) {
  let digits = String(id)
  for (let turn = 0; turn < 4000; turn++) digits = createHash('sha256').update(digits).digest('hex')
  return digits.slice(0, 8)
}

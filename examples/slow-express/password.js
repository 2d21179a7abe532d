import { scryptSync, timingSafeEqual } from 'node:crypto'

const salt = 'of this user'
const stored = scryptSync('secret', salt, 64)

export function isRight(password) {
  return timingSafeEqual(scryptSync(password, salt, 64), stored)
}

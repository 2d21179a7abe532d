// The task of the libuv experiment: work that Node gives to libuv's thread pool.

import { pbkdf2 } from 'node:crypto'
import { promisify } from 'node:util'

const derive = promisify(pbkdf2)

export async function hashPassword(iterations: number): Promise<number> {
  return (await derive('a password', 'a salt', iterations, 64, 'sha512')).length
}

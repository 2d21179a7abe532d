// Node does this without a thread of ours, if asked to.
import { pbkdf2Sync } from 'node:crypto'
import { createServer } from 'node:http'

function hashPassword(password) {
  return pbkdf2Sync(password, 'salt', 8000, 32, 'sha256').toString('hex')
}

createServer((request, response) => response.end(hashPassword('secret'))).listen(process.env.PORT)

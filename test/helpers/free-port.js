// A port that nobody listens on, and that nobody else is given before the caller listens on it.
import { once } from 'node:events'
import { closeSync, openSync, readFileSync, unlinkSync, writeSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * No system takes a port of this range for a connection, or for who listens on port 0, as the tests that run beside this one do. It has no
 * port that fetch refuses.
 */
const RANGE = { from: 12_000, to: 32_000 }
/** Of this process, as a file for each: another test that runs beside this one draws from the same range. */
const given = new Map()
process.on('exit', () => given.forEach((file) => unlinkSync(file)))

export async function freePort() {
  for (;;) {
    const port = RANGE.from + Math.floor(Math.random() * (RANGE.to - RANGE.from))
    if (reserve(port) && (await isFree(port))) return port
  }
}

/** False: another one has it. What a killed process has left is nobody's. */
function reserve(port) {
  const file = join(tmpdir(), `threadwise-test-port-${port}`)
  try {
    const descriptor = openSync(file, 'wx')
    writeSync(descriptor, String(process.pid))
    closeSync(descriptor)
    given.set(port, file)
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
    if (!given.has(port) && !lives(Number(readFileSync(file, 'utf8')))) unlinkSync(file) // for the next draw
    return false
  }
}

function lives(pid) {
  try {
    return process.kill(pid, 0)
  } catch ({ code }) {
    return code === 'EPERM'
  }
}

/** On any address: instances listen on all, others on that of this machine. */
async function isFree(port) {
  const server = createServer().listen(port)
  try {
    await once(server, 'listening')
  } catch (error) {
    if (error.code === 'EADDRINUSE' || error.code === 'EACCES') return false
    throw error
  }
  server.close()
  await once(server, 'close')
  return true
}

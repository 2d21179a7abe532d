// A server whose thread is blocked for as long as a test wants it to be.
import { existsSync, readFileSync } from 'node:fs'
import { testFolder, touch } from './files.js'
import { askUntil } from './waiting.js'

/** Code for program(): /block is answered when the test releases it, and the thread does nothing else until then. */
export const blocks = `
  const { existsSync, writeFileSync } = await import('node:fs')
  server.prependListener('request', ({ url }) => {
    if (url !== '/block') return
    const { BLOCKED, RELEASED } = process.env
    writeFileSync(BLOCKED, String(process.pid))
    const sleeper = new Int32Array(new SharedArrayBuffer(4))
    // Not when the folder of the test is gone, so that a failed test leaves no process behind.
    while (!existsSync(RELEASED) && existsSync(BLOCKED)) Atomics.wait(sleeper, 0, 0, 10)
  })`

/** Gives { env, blocked, release }: the first is for the server, `blocked` waits until its thread is, and gives the id of its process. */
export function blockade(t) {
  const path = testFolder(t)
  const [blocked, released] = [path('blocked'), path('released')]
  return {
    env: { BLOCKED: blocked, RELEASED: released },
    blocked: () => askUntil(() => existsSync(blocked) && Number(readFileSync(blocked, 'utf8')), Boolean),
    release: () => touch(released),
  }
}

// Runs an app without doctor under requests: how busy its event loop is then.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { load } from '../../build/measure/load/load.js'

const PROBE = fileURLToPath(new URL('./loop-probe.cjs', import.meta.url))
/** As doctor does: V8 optimizes what has run often, and an app that is deployed has. */
const WARM_UP_SECONDS = 1.5
const SETTLE_SECONDS = 1
const SECONDS = 5

/** Share of the time that its loop did not wait. */
export async function busyOf(file, { rate, env = {} }) {
  const port = await freePort()
  const app = spawn(process.execPath, ['--require', PROBE, file], {
    env: { ...process.env, ...env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const origin = `http://127.0.0.1:${port}/`
  try {
    await untilAnswers(origin)
    await load(origin, { connections: 1, warmup: 0, duration: WARM_UP_SECONDS })
    const sent = load(origin, { rate, warmup: 0, duration: SETTLE_SECONDS + SECONDS + 1 })
    await pause(SETTLE_SECONDS * 1000)
    app.send('start')
    await pause(SECONDS * 1000)
    app.send('end')
    const [busy] = await once(app, 'message')
    const { errors } = await sent
    if (errors > 0) throw new Error(`${errors} requests to ${file} failed`)
    return busy
  } finally {
    app.kill('SIGKILL')
  }
}

export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  return port
}

export async function untilAnswers(origin) {
  for (let tries = 0; ; tries++) {
    try {
      await (await fetch(origin)).text()
      return
    } catch (error) {
      if (tries === 100) throw error
      await pause(50)
    }
  }
}

// Apps that run already when doctor comes, of test/fixtures/doctor, and who listens where.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { after } from 'node:test'
import { freePort } from './free-port.js'
import { fixture } from './program.js'
import { waitUntil } from './waiting.js'

const apps = []
after(() => apps.forEach((app) => app.kill('SIGKILL')))

/** The app, its port and that of its inspector, which no other test takes. */
export async function startRunningApp(name = 'running', { options = [], env = {} } = {}) {
  const inspectorPort = await freePort()
  const file = fixture(`doctor/${name}/app.mjs`)
  const child = spawn(process.execPath, [`--inspect-port=${inspectorPort}`, ...options, file], {
    env: { ...process.env, PORT: '0', NODE_OPTIONS: '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  apps.push(child)
  const app = { child, pid: child.pid, inspectorPort, stderr: '' }
  child.stderr.setEncoding('utf8').on('data', (text) => (app.stderr += text))
  const [line] = await once(child.stdout.setEncoding('utf8'), 'data')
  return { ...app, origin: line.trim(), words: () => app.stderr }
}

/** By the tables of the system: a connection would be one more that is open. */
export function isListening(port) {
  const end = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const lines = ['tcp', 'tcp6'].flatMap((name) => readFileSync(`/proc/self/net/${name}`, 'utf8').split('\n'))
  return lines.some((line) => {
    const [, local = '', , state] = line.trim().split(/\s+/)
    return local.endsWith(end) && state === '0A'
  })
}

export async function assertInspectorCloses({ inspectorPort, child }) {
  await waitUntil(() => !isListening(inspectorPort))
  assert.equal(child.exitCode, null)
}

// WebKitGTK by the WebDriver of its package, on a display of its own: https://www.w3.org/TR/webdriver2/. Pages as the other browsers have them.
import { spawn } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from './free-port.js'

const LIBRARIES = '/usr/lib/x86_64-linux-gnu'
const START_MS = 20_000
const WAIT_MS = 30_000
/** A script in a page may run a whole file of tests. */
const SCRIPT_MS = 100_000
/**
 * Of a question that is asked again: of one that is under way when its page goes to another, the driver waits for an answer that never comes.
 * The page counts the time, so where its process has changed nobody does, and the driver itself gets twice as long.
 */
const POLL_MS = 3000
/** In less than the limit of a file: where the driver never answers, the test fails, and what it started is ended. */
const COMMAND_MS = SCRIPT_MS + 10_000

/** Of the newest version that is there. */
export function findMiniBrowser() {
  const folders = existsSync(LIBRARIES)
    ? readdirSync(LIBRARIES).filter((name) => /^webkit2?gtk-/.test(name))
    : []
  const paths = folders.sort().map((name) => `${LIBRARIES}/${name}/MiniBrowser`)
  return paths.filter((path) => existsSync(path)).at(-1)
}

export async function startWebKit(binary) {
  const port = await freePort()
  const args = ['-a', 'WebKitWebDriver', `--port=${port}`, '--host=127.0.0.1']
  const driver = spawn('xvfb-run', args, { stdio: 'ignore', detached: true })
  const stop = () => process.kill(-driver.pid, 'SIGTERM')
  try {
    const root = `http://127.0.0.1:${port}`
    await untilReady(root)
    const options = { 'webkitgtk:browserOptions': { binary, args: ['--automation'] } }
    const { sessionId } = await command(`${root}/session`, { capabilities: { alwaysMatch: options } })
    const session = `${root}/session/${sessionId}`
    await limitScripts(session, SCRIPT_MS)
    const first = await command(`${session}/window`, undefined, { method: 'GET' })
    return {
      newPage: () => newPage(session, first),
      async close() {
        try {
          await command(session, undefined, { method: 'DELETE' })
        } finally {
          stop()
        }
      },
    }
  } catch (error) {
    stop()
    throw error
  }
}

async function untilReady(root) {
  const end = Date.now() + START_MS
  for (;;) {
    try {
      return await command(`${root}/status`, undefined, { method: 'GET' })
    } catch (error) {
      if (Date.now() > end) throw error
      await sleep(50)
    }
  }
}

async function command(url, body, { method = 'POST', withinMs = COMMAND_MS } = {}) {
  const signal = AbortSignal.timeout(withinMs)
  const text = body && JSON.stringify(body)
  const response = await fetch(url, { method, body: text, signal }).catch((error) => {
    if (!signal.aborted) throw error
    throw new Error(`${url}: no answer within ${withinMs} ms`)
  })
  const { value } = await response.json()
  if (!response.ok) throw new Error(`${url}: ${value.error} ${value.message}`)
  return value
}

const limitScripts = (session, script) => command(`${session}/timeouts`, { script })

function falseIfLost(error) {
  if (/: script timeout |: no answer within /.test(error.message)) return false
  throw error
}

/** Runs a function with an argument. Undefined would arrive as null. */
const RUN = `
const [code, argument, done] = arguments
const run = async () => (0, eval)('(' + code + ')')(argument)
run().then(
  (value) => done(value === undefined ? {} : { value }),
  (error) => done({ error: String(error?.stack || error) + String(error?.message) }),
)`

/** `first`: the window that stays, from which others are opened. */
async function newPage(session, first) {
  const { handle } = await command(`${session}/window/new`, { type: 'tab' })
  const toFront = () => command(`${session}/window`, { handle })
  const evaluate = async (code, argument = null, limits = {}) => {
    await toFront()
    const call = { script: RUN, args: [String(code), argument] }
    const answer = await command(`${session}/execute/async`, call, limits)
    if (answer.error !== undefined) throw new Error(answer.error)
    return answer.value
  }
  return {
    evaluate,
    async goto(url) {
      await toFront()
      await command(`${session}/url`, { url })
    },
    async waitForFunction(isSo) {
      const end = Date.now() + WAIT_MS
      await limitScripts(session, POLL_MS)
      const question = `async () => Boolean(await (${isSo})())`
      while (!(await evaluate(question, null, { withinMs: 2 * POLL_MS }).catch(falseIfLost))) {
        if (Date.now() > end) throw new Error(`not within ${WAIT_MS} ms: ${isSo}`)
        await sleep(50)
      }
      await limitScripts(session, SCRIPT_MS)
    },
    async close() {
      await toFront()
      await command(`${session}/window`, undefined, { method: 'DELETE' })
      await command(`${session}/window`, { handle: first })
    },
  }
}

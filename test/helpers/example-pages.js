// Opens an example that is a page, in a Chromium of the test's own.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { startChromium } from './browsers.js'

const program = fileURLToPath(new URL('../../examples/serve-page.mjs', import.meta.url))

/** Until the test has ended. */
export async function openExample(t, name, query = '') {
  const env = { ...process.env, PORT: '0' }
  const server = spawn(process.execPath, [program, name], { env, stdio: 'pipe' })
  t.after(() => server.kill('SIGKILL'))
  const [line] = await once(server.stdout, 'data')
  const browser = await startChromium()
  t.after(() => browser.close())
  const page = await browser.newPage()
  await page.goto(String(line).trim() + query)
  await page.waitForFunction(() => globalThis.example)
  return page
}

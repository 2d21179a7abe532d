// threadwise/web where a page is rendered on a server: it can be imported, and a call says what to do.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'

test('a pool can be made on a server; its calls reject, and it does not keep the server alive', () => {
  const program = `
    import { web } from 'threadwise/web'
    import 'threadwise/web/worker'
    const pool = web(() => new Worker(new URL('./tasks.worker.js', import.meta.url)))
    await pool.tasks.render().catch(({ code, message }) => console.log(code, message))
    await pool.run('render').catch(({ code }) => console.log(code))
  `
  const cwd = new URL('../..', import.meta.url)
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', program], { cwd, encoding: 'utf8', timeout: 20_000 }) // prettier-ignore
  assert.match(
    output,
    /^TW_ERR_START_FAILED .*no Web Workers here\. .*in the browser only.*\nTW_ERR_START_FAILED\n$/,
  )
})

// threadwise compare --server on real servers: what it compares and tells. How fast the machine is plays no part.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { temporaryFolder } from '../helpers/files.js'
import { repository } from '../helpers/git-repository.js'
import { measuredCodes, run } from '../helpers/program.js'

const server = (text) => `
import { createServer } from 'node:http'
createServer((request, response) => response.end(${text})).listen(process.env.PORT)
`
const short = ['--budget', '16', '--processes', '2', '--json', '-']

async function compared(words, folder) {
  const outcome = await run(['compare', '--server', ...words, ...short], { cwd: folder })
  assert.ok(measuredCodes.includes(outcome.code), outcome.stderr)
  return JSON.parse(outcome.stdout)
}

describe('threadwise compare --server', () => {
  test('compares requests per second, CPU and latency of two servers that answer the same', async (t) => {
    const folder = temporaryFolder(t)
    for (const name of ['old.mjs', 'new.mjs'])
      writeFileSync(join(folder, name), server('"hello " + request.url'))
    const { versions, comparisons, results, skipped } = await compared(['old.mjs', 'new.mjs', '--path', '/a', '--rate', '50'], folder) // prettier-ignore
    assert.deepEqual(versions.map(({ name, kind }) => [name, kind]), [['old.mjs', 'file'], ['new.mjs', 'file']]) // prettier-ignore
    assert.deepEqual([results.equal, results.differing], [1, 0])
    for (const { workload, metric, ratio } of comparisons) {
      assert.equal(workload, '/a')
      assert.ok(['throughput', 'cpu', 'latency'].includes(metric))
      assert.ok(ratio.low <= ratio.value && ratio.value <= ratio.high)
    }
    // A machine that gave them no turns says so.
    assert.ok(skipped.length > 0 || comparisons.some(({ metric }) => metric === 'throughput'))
  })

  test('tells answers that differ first, in another state of the repository too', async (t) => {
    const repo = repository(join(temporaryFolder(t), 'repository'))
    repo.commit({ 'server.mjs': server('"old"') })
    repo.write({ 'server.mjs': server('"new answer"') })
    const { sentence, results, versions } = await compared(['server.mjs', '--against', 'HEAD'], repo.folder)
    assert.deepEqual([results.equal, results.differing], [0, 1])
    assert.match(sentence, /^working tree gives other results than HEAD for 1 of 1 inputs/)
    assert.match(results.examples[0].old, /status: 200, bytes: 3, hash:/)
    assert.equal(versions[0].kind, 'ref')
  })

  test('a server that does not answer, and options of functions, are refused', async (t) => {
    const folder = temporaryFolder(t)
    writeFileSync(join(folder, 'good.mjs'), server('"x"'))
    writeFileSync(join(folder, 'bad.mjs'), 'throw new Error("no port today")')
    const bad = await run(['compare', '--server', 'good.mjs', 'bad.mjs'], { cwd: folder })
    assert.equal(bad.code, 1)
    assert.match(bad.stderr, /bad\.mjs.*no port today/s)
    const task = await run(['compare', '--server', 'good.mjs', 'bad.mjs', '--task', 'x'], { cwd: folder })
    assert.equal(task.code, 2)
    assert.match(task.stderr, /left out with --server/)
  })
})

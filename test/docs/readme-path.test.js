// The README from its first line to its last, in an empty folder: no command needs a file that it does not give. What takes minutes is
// made short by more options behind it.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { commandsOf, pageProject } from '../helpers/page-project.js'
import { measuredCodes, stderrSays } from '../helpers/program.js'
import { blocksOf, readPage } from './pages.js'

const readme = readPage('README.md')
const lines = commandsOf(blocksOf(readme))
const lineOf = (start) => lines.find((line) => line.startsWith(`npx threadwise ${start}`))

test('it installs before its first command, and is short', () => {
  assert.deepEqual(
    lines.map((line) => line.split(' ').slice(0, 3).join(' ')),
    [
      ...['npm install threadwise', 'npm pkg set', 'npx threadwise doctor', 'npx threadwise load'],
      'npx threadwise load',
      ...['npx threadwise measure', 'npx threadwise cpus', 'npx threadwise measure', 'npx threadwise serve'],
      ...['npx threadwise reload', 'npx threadwise compare'],
    ],
  )
  assert.ok(readme.split(/\s+/).length <= 1500)
})

test('every command runs', { timeout: 400_000, concurrency: true }, async (t) => {
  const { folder, blocks, port, threadwise, serve } = await pageProject(t, readme)
  const ended = async (start, short, codes = [0]) => {
    const { code, stdout, stderr } = await threadwise(lineOf(start), short).ended
    assert.ok(codes.includes(code), `${start}: ${code}\n${stdout}${stderr}`)
    return stdout
  }
  const [loadBefore, loadAfter] = lines.filter((line) => line.startsWith('npx threadwise load'))
  const loaded = async (line) => {
    const app = await serve('server.js')
    const { code, stdout, stderr } = await threadwise(line, ['--duration', '1', '--warmup', '0']).ended
    assert.ok(measuredCodes.includes(code), `${line}: ${code}\n${stdout}${stderr}`)
    const { text } = await app.ask('/report')
    await app.end()
    return { risk: JSON.parse(text).risk, told: stdout }
  }

  // Beside it, what needs no port.
  const doctor = t.test('doctor names the function, and tries to move it', async () => {
    const told = await ended('doctor')
    assert.match(told, /stockRisk[^]*Tried on your app/)
    // A busy machine may show no gain; a patch that is offered is a file that it names.
    assert.equal(/git apply/.test(told), /Written:[^]*threadwise\.patch$/m.test(told), told)
  })
  await t.test('compare', () => ended('compare', ['--budget', '5', '--processes', '2'], measuredCodes))
  await t.test('measure, and the program that follows what it saves', async () => {
    const short = ['--quick', '--rounds', '1', '--executors', 'threads', '--sizes', '1', '--cpus', '1']
    await ended('measure tasks.js', short, measuredCodes)
    const { status, stdout } = spawnSync(process.execPath, ['service.js'], { cwd: folder, encoding: 'utf8' })
    assert.deepEqual([status, stdout], [0, 'order more\n'])
  })
  await t.test('measure --server', () =>
    ended('measure --server', ['--rounds', '1', '--instances', '1'], measuredCodes),
  )
  await doctor
  await t.test('load, before and after the patch', async () => {
    const before = await loaded(loadBefore)
    const patch = blocks.find(({ language }) => language === 'diff').marks.file
    const { status, stderr } = spawnSync('git', ['apply', patch], { cwd: folder, encoding: 'utf8' })
    assert.equal(status, 0, stderr)
    const after = await loaded(loadAfter)
    assert.ok(Math.abs(after.risk - before.risk) < 0.05)
    assert.match(after.told, /^(Beside|Not compared with) before\.json: /m)
  })
  await t.test('cpus', async () => assert.match(await ended('cpus'), /^This process may use/))
  await t.test('serve, and reload from another terminal', async () => {
    const { child, ended: stopped } = threadwise(lineOf('serve'))
    await stderrSays(child, / serves\n/)
    assert.equal(await (await fetch(`http://127.0.0.1:${port}/`)).text(), 'open')
    await ended('reload')
    child.kill('SIGTERM')
    assert.equal((await stopped).code, process.platform === 'win32' ? null : 0)
  })
  assert.ok(readFileSync(join(folder, 'package.json'), 'utf8').includes('module'))
})

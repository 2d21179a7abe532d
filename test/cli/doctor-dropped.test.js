// What starts an app may drop doctor's agent: doctor says so soon, and what to write. And the port that the app gets.
import assert from 'node:assert/strict'
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { app, doctorCommand } from '../helpers/doctor-command.js'
import { freePort } from '../helpers/free-port.js'

const { cwd, resultOf } = doctorCommand()
const skip = process.platform !== 'linux' && 'only Linux shows the environment of processes'

function write(scripts, npmrc) {
  writeFileSync(join(cwd, 'package.json'), JSON.stringify({ name: 'app', private: true, scripts }))
  if (npmrc) writeFileSync(join(cwd, '.npmrc'), npmrc)
  else rmSync(join(cwd, '.npmrc'), { force: true })
}

describe('threadwise doctor, whose agent is dropped', { skip }, () => {
  before(() => copyFileSync(app('server.mjs'), join(cwd, 'server.mjs')))

  const cases = {
    'by a script that sets NODE_OPTIONS': [
      { start: 'NODE_OPTIONS=--max-old-space-size=500 node server.mjs' },
      /Process \d+ of the app \(node server\.mjs\).*Write NODE_OPTIONS="\$NODE_OPTIONS --max-old-space-size=500"/,
    ],
    'by a script that takes NODE_OPTIONS away': [
      { start: 'env -u NODE_OPTIONS node server.mjs' },
      /takes NODE_OPTIONS out of the environment/,
    ],
    'by an environment that is made anew': [
      { start: `env -i PORT=$PORT ${process.execPath} server.mjs` },
      /Write NODE_OPTIONS="\$NODE_OPTIONS" THREADWISE_DOCTOR="\$THREADWISE_DOCTOR" behind env -i/,
    ],
    'by a file .npmrc': [
      { start: 'node server.mjs' },
      /node-options=--max-old-space-size=500 in a file \.npmrc.*NODE_OPTIONS="--max-old-space-size=500" npx threadwise doctor/,
      'node-options=--max-old-space-size=500\n',
    ],
    'of a script that starts no server': [
      { start: `NODE_OPTIONS= node -e "setTimeout(() => {}, 1500)"` },
      /was started without doctor's agent/,
    ],
  }
  for (const [title, [scripts, sentence, npmrc]] of Object.entries(cases))
    test(title, async () => {
      write(scripts, npmrc)
      const { code, result } = await resultOf(['--', 'npm', 'start'])
      assert.deepEqual([code, result.problem], [1, 'no-agent'])
      assert.match(result.sentence, sentence)
    })

  test("by Node's permission model", async () => {
    const flag = process.allowedNodeEnvironmentFlags.has('--permission') ? '--permission' : '--experimental-permission' // prettier-ignore
    const { result } = await resultOf(['--path', '/', '--', 'node', flag, `--allow-fs-read=${cwd}/*`, 'server.mjs']) // prettier-ignore
    assert.equal(result.problem, 'no-agent')
    assert.match(result.sentence, /permission model.*Leave --permission out/)
  })

  test('by a daemon, which is not even asked', async () => {
    mkdirSync(join(cwd, 'bin'), { recursive: true })
    write({ start: 'pm2 start server.mjs', fine: 'pm2-runtime start server.mjs; exit 3' })
    for (const words of [['npm', 'start'], ['npm', 'run', 'start'], ['npx', 'pm2', 'restart', 'all']]) {
      const { code, result } = await resultOf(['--', ...words])
      assert.deepEqual([code, result.problem], [1, 'no-agent'])
      assert.match(result.sentence, /pm2 hands the app to a daemon.*pm2-runtime/)
    }
    const { result } = await resultOf(['--path', '/', '--', 'npm', 'run', 'fine'])
    assert.equal(result.problem, 'exits')
  }) // prettier-ignore
})

describe('the port of an app under threadwise doctor', () => {
  const code = `
    const port = Number(process.env.PORT)
    if (!(port >= 1 && port <= 65535)) throw new RangeError('PORT has to be from 1 to 65535')
    process.exitCode = port === Number(process.env.WANTED) ? 3 : 4`
  const exitOf = async (env) => {
    writeFileSync(join(cwd, 'port.cjs'), code)
    const { result } = await resultOf(['--path', '/', 'port.cjs'], { env })
    return /exit code (\d)/.exec(result.sentence)?.[1] ?? result.sentence
  }

  test('is the one that its user has set', async () => {
    const port = String(await freePort())
    assert.equal(await exitOf({ PORT: port, WANTED: port }), '3')
  })

  test('is a free one otherwise, and not 0', async () => {
    assert.equal(await exitOf({ WANTED: '1' }), '4')
  })
})

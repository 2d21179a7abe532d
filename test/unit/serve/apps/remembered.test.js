// What is kept of services that were started in the background: a record that cannot be used is told, and the others are read.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { rememberApp, rememberedApp, rememberedApps } from '../../../../build/serve/apps/remembered.js'
import { temporaryFolder } from '../../../helpers/files.js'

const start = { env: { A: 'b', '': 'c' }, execArgv: ['--no-warnings'], umask: 0o22, cwd: '/' }
const app = (name, changes = {}) => ({
  version: 1,
  plan: { name, file: '/app.js', options: {}, log: { size: 1, files: 1, path: null } },
  startedAt: 5,
  end: null,
  start: { ...start, ...changes },
})

const nul = '\0'
const impossible = {
  'a NUL in the name of a variable': { env: { [`A${nul}`]: 'b' } },
  'a NUL in a variable': { env: { A: `b${nul}c` } },
  'a name with =': { env: { 'A=B': 'c' } },
  'a NUL in an option of Node': { execArgv: [`--x${nul}`] },
  'a NUL in its folder': { cwd: `/${nul}` },
  'half a umask': { umask: 18.5 },
  'a umask below 0': { umask: -1 },
  'a umask of too many bits': { umask: 99_999_999 },
}

describe('a record from which no process can be started is passed over, and told', () => {
  for (const [title, changes] of Object.entries(impossible))
    test(title, (t) => {
      const folder = temporaryFolder(t)
      rememberApp(folder, app('web'))
      writeFileSync(join(folder, 'bad.app.json'), JSON.stringify(app('bad', changes)))
      const { apps, odd } = rememberedApps(folder)
      assert.deepEqual(apps.map(({ plan }) => plan.name), ['web']) // prettier-ignore
      assert.match(odd.join(), /bad\.app\.json is passed over: no process can be started with the variables/)
      assert.equal(rememberedApp(folder, 'bad'), undefined)
    })

  test('a NUL in its file', (t) => {
    const folder = temporaryFolder(t)
    const { plan, ...others } = app('bad')
    rememberApp(folder, { ...others, plan: { ...plan, file: [`/a${nul}`] } })
    assert.match(rememberedApps(folder).odd.join(), /bad\.app\.json is passed over: it is no record of an app of this version/)
  }) // prettier-ignore
})

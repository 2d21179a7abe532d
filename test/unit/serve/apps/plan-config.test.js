// A configuration: what becomes of it, and how its mistakes are reported.
import assert from 'node:assert/strict'
import { basename, dirname } from 'node:path'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { planConfig } from '../../../../build/serve/apps/plan-config.js'

const path = fileURLToPath(import.meta.url)
const file = basename(path)
const plan = (config, profile) => planConfig(config, { file: 'c.js', folder: dirname(path), profile })

test('each app has its options; paths are from the folder of the configuration', () => {
  const apps = [
    { file, name: 'web', instances: 2, health: '/health', env: { A: '1' } },
    { file: path, args: ['x'], logSize: '1m', logFiles: 3 },
  ]
  assert.deepEqual(plan({ apps }), [
    { name: 'web', file: path, options: { name: 'web', instances: 2, health: '/health', cwd: process.cwd(), env: { A: '1' } }, watch: false, cron: null, log: { size: 10 * 1024 ** 2, files: 5, path: null } }, // prettier-ignore
    { name: 'plan-config.test', file: path, options: { name: 'plan-config.test', args: ['x'], cwd: process.cwd(), env: {} }, watch: false, cron: null, log: { size: 1024 ** 2, files: 3, path: null } }, // prettier-ignore
  ])
})

test('a profile adds to env, and wins; an app without it keeps its own', () => {
  const envProfiles = { production: { B: '3', C: undefined }, staging: {} }
  const apps = [
    { file, name: 'a', env: { A: '1', B: '2' }, envProfiles },
    { file, name: 'b', env: { A: '1' } },
  ]
  const envs = plan({ apps }, 'production').map(({ options }) => options.env)
  assert.deepEqual(envs, [{ A: '1', B: '3', C: null }, { A: '1' }], 'null stays in JSON: it is not inherited')
  assert.throws(() => plan({ apps }, 'test'), {
    code: 'TW_ERR_INVALID_OPTION',
    message: '--env must be a profile of c.js: production, staging, got "test".',
  })
  assert.throws(() => plan({ apps: [{ file }] }, 'test'), /left out: c\.js has no envProfiles/)
})

describe('a mistake is reported with the app and the option', () => {
  for (const [title, config, reason] of [
    ['no object', undefined, /must give \{ apps: \[\.\.\.\] \} as its default export/],
    ['no apps', {}, /apps must be a list/],
    ['another key', { apps: [{ file }], app: 1 }, /app \(did you mean apps\?\) is not known/],
    ['no list', { apps: { file } }, /apps must be a list/],
    ['no app', { apps: [] }, /at least one app/],
    ['an app that is text', { apps: [file] }, /apps\[0\] must be an object/],
    ['no file', { apps: [{ name: 'web' }] }, /apps\[0\] \("web"\): it needs a file \(a path\) or a command/],
    ['a file and a command', { apps: [{ file, command: ['ls'] }] }, /one of the two/],
    ['a command that is text', { apps: [{ command: 'npm start' }] }, /command must be a list of words/],
    [
      'no such file',
      { apps: [{ file: 'nowhere.js' }] },
      /apps\[0\]: file must be a file that exists, got ".*nowhere\.js"\. See/,
    ],
    [
      'an unknown option',
      { apps: [{ file }, { file, instance: 2 }] },
      /apps\[1\]: instance \(did you mean instances\?\) is not an option; there are .*instances/,
    ],
    ['a listener', { apps: [{ file, onEvent() {} }] }, /onEvent is not an option/],
    [
      'no name of a cookie',
      { apps: [{ file, name: 'web', sticky: 'cookie=a b' }] },
      /apps\[0\] \("web"\): sticky must be "address", or "cookie=NAME".*got "cookie=a b"/,
    ],
    [
      'a wrong value',
      { apps: [{ file, name: 'web', instances: 0 }] },
      /\("web"\): instances must be .* got 0\./,
    ],
    ['a wrong log', { apps: [{ file, logSize: 'big' }] }, /apps\[0\]: logSize must be/],
    ['a wrong name', { apps: [{ file, name: 'a/b' }] }, /name must be/],
    [
      'an object as variable',
      { apps: [{ file, env: { PORT: {} } }] },
      /apps\[0\]: env\.PORT must be text, a number or a boolean, got an object/,
    ],
    [
      'a list in a profile',
      { apps: [{ file, envProfiles: { p: { PORT: [] } } }] },
      /envProfiles\.p\.PORT must be text/,
    ],
    [
      'a profile that is text',
      { apps: [{ file, envProfiles: { p: 'x' } }] },
      /envProfiles\.p must be an object of variables/,
    ],
    ['profiles as a list', { apps: [{ file, envProfiles: [] }] }, /envProfiles must be an object/],
    ['the same name twice', { apps: [{ file }, { file }] }, /two apps have the name "plan-config\.test"/],
  ]) {
    test(title, () => assert.throws(() => plan(config), { code: 'TW_ERR_CONFIG_INVALID', message: reason }))
  }
})

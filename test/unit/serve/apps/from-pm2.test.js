// Configurations of PM2, option by option: the options that public ones use.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { faultOfPm2, fromPm2, isOfPm2 } from '../../../../build/serve/apps/from-pm2.js'
import { planConfig } from '../../../../build/serve/apps/plan-config.js'
import { splitWords } from '../../../../build/serve/apps/split-words.js'
import { temporaryFolder } from '../../../helpers/files.js'

/** The app, and what is said of its options. */
function read(t, app) {
  const folder = temporaryFolder(t)
  for (const name of ['app.js', 'app.py', 'app.sh']) writeFileSync(join(folder, name), '')
  const { apps, notes } = fromPm2({ apps: [{ script: 'app.js', name: 'web', ...app }] }, folder)
  planConfig({ apps }, { file: 'c.js', folder, profile: undefined }) // each is valid
  return { app: apps[0], notes, folder }
}

const same = {
  'instances: 2': [{ instances: 2 }, { instances: 2, listenTimeout: 3000 }],
  'instances as text': [{ instances: '2' }, { instances: 2 }],
  'instances: 0': [{ instances: 0 }, { instances: 'max' }],
  'max in cluster mode': [{ instances: 'max', exec_mode: 'cluster' }, { instances: 'max' }],
  'instances: -1 leaves one CPU': [{ instances: -1000 }, { instances: 1 }],
  'fork mode': [{ exec_mode: 'fork' }, { portless: true, instances: 1 }],
  'fork mode without a word': [{}, { portless: true, instances: 1 }],
  'several in fork mode': [{ exec_mode: 'fork_mode', instances: 3 }, { portless: true, instances: 3 }],
  listen_timeout: [{ exec_mode: 'cluster', listen_timeout: 8000 }, { listenTimeout: 8000 }],
  memory: [{ max_memory_restart: '300M' }, { maxMemory: '300M' }],
  'args as text': [{ args: 'start --port "80 80"' }, { args: ['start', '--port', '80 80'] }],
  'args as a list': [{ args: ['a', 1] }, { args: ['a', '1'] }],
  node_args: [{ node_args: '--max-old-space-size=100 --trace-warnings' }, { execArgv: ['--max-old-space-size=100', '--trace-warnings'] }],
  source_map_support: [{ source_map_support: true }, { execArgv: ['--enable-source-maps'] }],
  env: [{ env: { PORT: 80, DEBUG: true } }, { env: { PORT: 80, DEBUG: true } }],
  env_production: [{ env_production: { A: 'b' } }, { envProfiles: { production: { A: 'b' } } }],
  port: [{ port: 8080, env: { PORT: 1 } }, { env: { PORT: 8080 } }],
  restarts: [{ max_restarts: 5, min_uptime: '5s', restart_delay: 4000 }, { maxRestarts: 5, minUptime: 5000, restartDelay: 4000 }],
  'once': [{ autorestart: false, stop_exit_codes: [0, 2] }, { restart: 'never', stopExitCodes: [0, 2] }],
  'autorestart: true': [{ autorestart: true }, {}],
  'a job': [{ autorestart: false, cron_restart: '0 4 * * *' }, { restart: 'never', cron: '0 4 * * *' }],
  'a job by seconds': [{ autorestart: false, cron_restart: '0 30 4 * * *' }, { cron: '30 4 * * *' }],
  'variables of any kind': [{ env: { A: { b: 1 }, C: null, D: undefined } }, { env: { A: '{"b":1}', C: undefined, D: undefined } }],
  'another Node in cluster mode': [{ interpreter: '/opt/node/bin/node', instances: 2 }, { instances: 2, interpreter: undefined }],
  'no cron': [{ cron_restart: '0' }, {}],
  stopping: [{ kill_timeout: 3000 }, { grace: 3000, stopSignal: 'SIGINT' }],
  'the message': [{ shutdown_with_message: true }, { stopSignal: 'message' }],
  wait_ready: [{ wait_ready: true }, { waitReady: true }],
  instance_var: [{ instance_var: 'INSTANCE_ID' }, { instanceVariable: 'INSTANCE_ID' }],
  watch: [{ watch: true }, { watch: true }],
  'watch: false': [{ watch: false }, {}],
  'folders to watch': [{ watch: ['src', 'views'] }, { watch: ['src', 'views'] }],
  'a folder to watch': [{ watch: 'src' }, { watch: ['src'] }],
  'nothing to watch': [{ watch: [] }, { watch: true }],
  python: [{ script: 'app.py', interpreter: 'python3' }, { interpreter: 'python3' }],
  'python by its ending': [{ script: 'app.py' }, { interpreter: 'python3' }],
  'npm': [{ script: 'npm', args: 'run start' }, { command: ['npm', 'run', 'start'] }],
  'a line of a shell': [{ script: 'npm run start' }, { command: ['bash', '-c', 'npm run start'] }],
  'a line of a shell with arguments': [{ script: 'echo a', args: ['b c'] }, { command: ['bash', '-c', 'echo a "$@"', 'bash', 'b c'] }],
  'names in camelCase': [{ execMode: 'cluster', killTimeout: 500, waitReady: true, maxMemoryRestart: '90M' }, { grace: 500, waitReady: true, maxMemory: '90M', portless: undefined }],
  'other names': [{ script: undefined, cmd: 'app.sh', cron: '@daily' }, { interpreter: 'bash', cron: '0 0 * * *' }],
  'numbers as text': [{ max_restarts: '7', stop_exit_codes: ['0', 3] }, { maxRestarts: 7, stopExitCodes: [0, 3] }],
  'restarts without end': [{ max_restarts: Infinity }, { maxRestarts: 'none' }],
  'times of 0 are those of PM2': [{ kill_timeout: 0, listen_timeout: 0, instances: 1 }, { grace: undefined, listenTimeout: 3000 }],
  'times that are off are 0': [{ kill_timeout: false, restart_delay: '' }, { grace: undefined, restartDelay: 0 }],
  'what is empty is not given': [{ cron_restart: '', watch: '', name: '', log_file: '' }, { cron: undefined, watch: undefined, name: 'app', logFile: undefined }],
  'instances that are no number': [{ instances: 'auto' }, { instances: 'max' }],
  'little memory for what is not Node': [{ script: 'app.py', max_memory_restart: '20M' }, { maxMemory: '20M' }],
  'interpreter: none': [{ script: 'app.sh', interpreter: 'none', args: 'x' }, {}],
  'interpreter: node': [{ interpreter: 'node', exec_mode: 'cluster' }, { instances: 1 }],
} // prettier-ignore

describe('what means the same here', () => {
  for (const [title, [given, expected]] of Object.entries(same)) {
    test(title, (t) => {
      const { app } = read(t, given)
      const found = Object.fromEntries(Object.keys(expected).map((key) => [key, app[key]]))
      assert.deepEqual(found, expected)
    })
  }
})

test('a compiled program is run itself, not by Node', (t) => {
  const folder = temporaryFolder(t)
  writeFileSync(join(folder, 'server'), Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1]))
  const { apps } = fromPm2([{ script: './server', args: '-p 80' }], folder)
  assert.deepEqual(apps[0].command, [join(folder, 'server'), '-p', '80'])
})

test('apps of one name get names of their own, which are told', () => {
  const app = { script: 'server/app.js' }
  const names = (...given) =>
    fromPm2(
      given.map((name) => ({ ...app, ...(name !== undefined && { name }) })),
      '/',
    )
  assert.deepEqual(
    names(undefined, undefined, '@org/app', 7).apps.map(({ name }) => name),
    ['app', 'app-2', 'org-app', '7'],
  )
  assert.ok(names('all').notes.includes('all-2: its name was "all"'))
  assert.ok(names('服务').notes.includes('app: its name was "服务"'))
})

test('an app without a script is found', () => {
  assert.equal(faultOfPm2([{ script: 'a.js' }]), undefined)
  for (const other of ['b.js', null, {}, { script: '' }, { script: 5 }])
    assert.match(faultOfPm2({ apps: [{ script: 'a.js' }, other] }), /^apps\[1\] has no script/)
})

describe('what is no time, number or size is told in the words of PM2', () => {
  const faults = {
    kill_timeout: ['soon', -5, true],
    listen_timeout: ['abc'],
    min_uptime: ['1 day'],
    restart_delay: [{}],
    max_restarts: ['many'],
    port: ['http'],
    stop_exit_codes: ['x', [0, 'x']],
    max_memory_restart: ['lots'],
  }
  for (const [option, values] of Object.entries(faults))
    test(option, () => {
      for (const value of values) {
        const [wrong] = [value].flat().slice(-1)
        const fault = faultOfPm2({ apps: [{ script: 'a.js', [option]: value }] })
        assert.ok(fault.startsWith(`apps[0]: ${option} must be `), fault)
        assert.ok(
          fault.endsWith(
            `, got ${typeof wrong === 'object' ? 'an object with nothing' : JSON.stringify(wrong)}`,
          ),
          fault,
        )
      }
    })

  test('and by the name that stands for one', () => {
    assert.match(
      faultOfPm2({ script: 'a.js', killTimeout: 'soon' }),
      /: kill_timeout must be a time.* got "soon"$/,
    )
  })
})

test('what has another effect is named', (t) => {
  const given = { env: ['A=1'], watch: ['src'], cron_restart: '*/10 * * * * *', instances: 'auto' }
  assert.deepEqual(read(t, given).notes, [
    'web: env is ignored: it is no object of variables',
    'web: cron_restart: its seconds (*/10) are passed over',
    'web: instances: "auto" is max, as in PM2',
  ])
})

test('paths are from cwd, and cwd is from the folder', (t) => {
  const { folder } = read(t, {})
  const { apps } = fromPm2([{ script: 'app.js', cwd: '.', out_file: 'logs/out.log' }], folder)
  assert.deepEqual(
    [apps[0].file, apps[0].cwd, apps[0].logFile],
    [join(folder, 'app.js'), folder, join(folder, 'logs/out.log')],
  )
  const { apps: others } = fromPm2([{ script: 'app.js', cwd: 'sub', out_file: '../out.log' }], folder)
  assert.equal(others[0].logFile, join(folder, 'out.log'), 'from cwd, as PM2 takes it')
})

test('of several logs that of all lines is the one, and none is none', (t) => {
  const all = { out_file: 'out.log', error_file: 'err.log', log_file: 'all.log' }
  const { app, notes, folder } = read(t, { ...all, instances: 1 })
  assert.equal(app.logFile, join(folder, 'all.log'))
  assert.ok(notes.includes('web: out_file is ignored: both outputs are in one log, that of log_file'), notes)
  const none = read(t, { out_file: '/dev/null', log_file: true, instances: 1 })
  assert.deepEqual([none.app.logFile, none.notes.length], [undefined, 1])
})

test('what PM2 passes over for a command is named, and the command runs', (t) => {
  const told = { wait_ready: true, shutdown_with_message: true, instances: 2 }
  const { app, notes } = read(t, {
    ...told,
    script: 'npm',
    args: 'start',
    watch: true,
    node_args: '--inspect',
  })
  assert.deepEqual([app.waitReady, app.watch, app.stopSignal, app.execArgv], [undefined, undefined, 'SIGINT', undefined]) // prettier-ignore
  for (const option of ['wait_ready', 'shutdown_with_message', 'watch', 'node_args', 'instances'])
    assert.ok(
      notes.some((note) => note.startsWith(`web: ${option} `)),
      `${option}: ${notes}`,
    )
  const other = read(t, { ...told, interpreter: '/opt/node/bin/node', watch: true, exec_mode: 'fork' })
  assert.deepEqual([other.app.waitReady, other.app.watch], [undefined, true])
})

test('a file that is not there is no command', (t) => {
  for (const script of ['dist/main.js', './server', 'bot.py'])
    assert.throws(() => read(t, { script }), /apps\[0\].*file must be a file that exists.*(main\.js|server|bot\.py)/) // prettier-ignore
})

test('what has no effect is named with the reason', (t) => {
  const { notes } = read(t, { ...{ uid: 'www', merge_logs: true, treekill: false, foo: 1 }, instances: 2 })
  assert.deepEqual(notes, [
    'web: uid is ignored: systemd runs it as another user (User=), see --systemd',
    'web: merge_logs is ignored: all instances are in one log anyway',
    'web: treekill is ignored: nothing that an app starts outlives it',
    'web: foo is ignored: it is not known',
  ])
  const { notes: others } = fromPm2({ apps: [{ script: 'x', name: 'a b' }], deploy: {} }, '/')
  assert.deepEqual(others, ['a-b: its name was "a b"', 'deploy: copying releases to hosts is not part of running them']) // prettier-ignore
})

test('fork mode says that a reload has a gap', (t) => {
  assert.match(read(t, {}).notes[0], /^web: exec_mode is fork: a reload restarts it/)
})

test('which configurations are of PM2', () => {
  const app = { script: 'app.js' }
  for (const config of [{ apps: [app] }, { apps: app }, [app], app]) assert.ok(isOfPm2(config))
  for (const config of [{ apps: [{ file: 'app.js' }] }, {}, [], null, 'script']) assert.ok(!isOfPm2(config))
})

test('the words of a line', () => {
  assert.deepEqual(splitWords(`run start -- "a b" 'c d' e\\ f --x="y z" ""`), ['run', 'start', '--', 'a b', 'c d', 'e f', '--x=y z', '']) // prettier-ignore
  assert.deepEqual(splitWords('  '), [])
})

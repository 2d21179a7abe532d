// Configurations of PM2, option by option: the options that public ones use.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { fromPm2, isOfPm2 } from '../../../../build/serve/apps/from-pm2.js'
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
  'folders to watch': [{ watch: ['src'] }, { watch: true }],
  python: [{ script: 'app.py', interpreter: 'python3' }, { interpreter: 'python3' }],
  'python by its ending': [{ script: 'app.py' }, { interpreter: 'python3' }],
  'npm': [{ script: 'npm', args: 'run start' }, { command: ['npm', 'run', 'start'] }],
  'a line of a shell': [{ script: 'npm run start' }, { command: ['sh', '-c', 'npm run start'] }],
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

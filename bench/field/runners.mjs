// The two that run the apps, by the same verbs: `threadwise serve` and PM2. Each app has its state in a folder of its own.
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const threadwise = fileURLToPath(new URL('../../build/cli/main.js', import.meta.url))

/** The app is served under the name `app` with these variables. */
export function createThreadwise(app, { folder, env }) {
  const run = join(folder, 'run')
  mkdirSync(run, { mode: 0o700 })
  const own = { ...env, XDG_RUNTIME_DIR: run, XDG_STATE_HOME: run }
  const say = (...words) => succeed(process.execPath, [threadwise, ...words], { cwd: folder, env: own })
  const status = async () => JSON.parse(await say('status', 'app', '--json'))
  return {
    start: () => say('serve', '--name', 'app', '--daemon', ...app.serve),
    startAgain: () => say('start', 'app'),
    reload: () => say('reload', 'app'),
    scale: (count) => say('scale', 'app', String(count)),
    stop: () => say('stop', 'app'),
    mainPid: async () => (await status()).pid,
    servingPids: async () => (await status()).instances.filter(({ state }) => state === 'serving').map(({ pid }) => pid),
    close() {},
  } // prettier-ignore
}

/** `pm2` is the folder in which it is installed, `home` that of its daemon. */
export async function createPm2(app, { pm2, home, folder, env }) {
  const own = { PM2_HOME: home }
  const say = (...words) => succeed(join(pm2, 'node_modules/.bin/pm2'), words, { cwd: folder, env: { ...env, ...own } }) // prettier-ignore
  // Before the app: the daemon keeps the variables of whoever starts it, and is not to count as one of the app's processes.
  await succeed(join(pm2, 'node_modules/.bin/pm2'), ['ping'], { env: { ...process.env, ...own } })
  const all = async () => JSON.parse((await say('jlist')).split('\n').at(-1) || '[]')
  return {
    start: () => say('start', '--name', 'app', ...app.pm2), // a name behind -- would be an argument of the app
    startAgain: () => say('start', 'app'),
    reload: () => say('reload', 'app'),
    scale: (count) => say('scale', 'app', String(count)),
    stop: () => say('stop', 'app'),
    mainPid: async () => Number(readFileSync(join(home, 'pm2.pid'), 'utf8')),
    servingPids: async () => (await all()).filter(({ pm2_env }) => pm2_env.status === 'online').map(({ pid }) => pid), // prettier-ignore
    close: () => say('kill').catch(() => {}),
  }
}

/** Its output. Not by spawnSync: the requests come from this process. */
function succeed(file, args, options) {
  return new Promise((resolve, reject) => {
    execFile(file, args, options, (error, stdout, stderr) => {
      if (error) reject(new Error(`${[file, ...args].join(' ')}: ${stderr}${stdout}`))
      else resolve(stdout)
    })
  })
}

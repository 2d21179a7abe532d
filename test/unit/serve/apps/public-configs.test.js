// Configurations of PM2 in public repositories: which options their apps have, and what becomes of each. No file is copied: an option without a
// value here has a usual one.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import { fromPm2 } from '../../../../build/serve/apps/from-pm2.js'
import { planConfig } from '../../../../build/serve/apps/plan-config.js'
import { temporaryFolder } from '../../../helpers/files.js'

/** `server`: instances share a port; `worker`: a file without one; `program`: something else than Node, or a command. */
const FILES = {
  '0xAkuti/yeti': [
    'program: script=npm args=start cwd env instances=1 exec_mode=fork watch=false merge_logs log_type log_date_format',
    'worker: script=dist/index.js cwd env instances=1 exec_mode=fork watch=false merge_logs log_type log_date_format',
  ],
  '0x730/dex-bot-services': ['worker: script=/src/uni-v2.js cwd autorestart=true watch=false'],
  '00quasr/WallStreetSim': ['program: script=pnpm args=start cwd env instances=1 autorestart=true watch=false max_memory_restart=500M'],
  '01protocol/zo-ts-rest-api': [
    'server: script=dist/server.js exec_mode=cluster instance_var instances=2 autorestart=true watch=false ignore_watch max_memory_restart merge_logs output error env',
    'program: script=ts-node args exec_mode=cluster instance_var instances=2 autorestart=true watch=false ignore_watch max_memory_restart merge_logs output error env',
  ],
  '0Supa/okeybot': ['worker: script=index.js node_args=--inspect=127.0.0.1:9240'],
  '0xSoftBoi/suwappubot': [
    'program: script=bun args cwd interpreter=none watch=false autorestart=true max_restarts min_uptime restart_delay exp_backoff_restart_delay error_file out_file merge_logs time env',
    'program: script=./node_modules/.bin/vite args cwd interpreter=/opt/node/bin/node watch=false autorestart=true max_restarts min_uptime restart_delay exp_backoff_restart_delay error_file out_file merge_logs time env',
  ],
  '04Favour/task-management': ['server: script=./dist/main.js cwd instances=max exec_mode=cluster env'],
  '0xEljh/digital-garden': ['program: script=node_modules/.bin/next args interpreter=bun env'],
  '0xH4KU/babel-discord-translator': ['worker: script=dist/src/index.js env max_memory_restart=250M restart_delay kill_timeout=95000'],
  '0xK8oX/hermes-agent': ['program: script=/venv/bin/hermes args cwd log_file out_file error_file merge_logs log_date_format autorestart=true restart_delay max_restarts min_uptime watch=false exec_mode=fork interpreter=/venv/bin/python3 env'],
  '0xWeakSheep/polymarket_backtest_dome': [
    'program: cwd script=./scripts/run.sh interpreter=bash autorestart=true max_restarts restart_delay kill_timeout time merge_logs out_file error_file env',
    'program: cwd script=./scripts/once.sh interpreter=bash autorestart=false max_restarts restart_delay kill_timeout time merge_logs out_file error_file env',
  ],
  '0reo/OllamaModelManager': ['worker: script=server.js watch=false autorestart=true max_restarts env env_dev'],
  '0xPabloLI/aave-protocol-analysis': ['worker: script=dist/server.js cwd instances=1 exec_mode=fork watch=false max_memory_restart env error_file out_file log_file time merge_logs autorestart=true max_restarts min_uptime'],
  '0xTokkyo/udx-server': [
    'server: script=./dist/server.js instances=1 exec_mode=cluster watch=true max_memory_restart env env_production error_file out_file log_file time autorestart=true max_restarts min_uptime kill_timeout',
    'program: script=./tasks/backup.sh instances=1 exec_mode=fork watch=false env env_production cron_restart autorestart=false error_file out_file log_file time',
  ],
  '0xtrou/binance-p2p-crypto-tax': ['program: cwd script=./node_modules/.bin/next args interpreter=none exec_mode=fork instances=1 autorestart=true watch=false max_memory_restart max_restarts min_uptime kill_timeout env log_date_format merge_logs error_file out_file'],
  '100-hours-a-week/2-hyun-lee-community-be': ['worker: script=index.js cwd env autorestart=true watch=false'],
  '0strich/hosting-api': ['server: script=./bin/www watch=false instances=1 log_date_format exec_mode=cluster env env_production'],
  '0stoya/ufportal': ['program: cwd script=yarn args env_production env exec_mode=fork instances=1 autorestart=true watch=false error_file out_file log_date_format'],
  '00-Darshan/devstrix-ai': ['program: script=npx args cwd instances=1 autorestart=true watch=false max_memory_restart env error_file out_file log_date_format merge_logs'],
  '019ec6e2/cosyworld-core': ['worker: script=./server/index.mjs error_file out_file env max_memory_restart'],
  '026288-sketch/HDU-WebAnalyzer': ['server: script=/run.cjs watch=false instances=1 autorestart=true max_restarts min_uptime interpreter=node env error_file out_file log_date_format'],
  '0x-zeze/MLB-Stats-Bot': ['program: script=src/index.js cwd interpreter=/opt/node/bin/node exec_mode=fork instances=1 autorestart=true max_restarts min_uptime restart_delay max_memory_restart env out_file error_file merge_logs time'],
  '0xFeiDan/Funds-Dashboard': ['program: cwd script=./.venv/bin/uvicorn args interpreter=none env max_restarts restart_delay'],
  '0xSmartCrypto/meridian': ['program: script=npx args cwd watch=false autorestart=true max_restarts restart_delay env log_date_format error_file out_file merge_logs max_memory_restart'],
  '0xOrbita/chainlink-runtime-environment': ['program: script=./run-local.sh interpreter=bash cron_restart=*/1_*_*_*_* autorestart=false log_date_format error_file out_file'],
  '0xThC-C/Chain-Academy': ['program: cwd script=npm args instances=1 exec_mode=fork autorestart=true watch=false max_memory_restart env error_file out_file log_file time merge_logs min_uptime max_restarts restart_delay kill_timeout wait_ready ignore_watch exp_backoff_restart_delay'],
  '0k1/ffmpeg-service': ['server: script=./dist/server.js instances=1 exec_mode=cluster autorestart=true watch=false max_memory_restart=4G env env_production'],
  '00no00/deployment-linux-1': ['worker: script=./src/index.js'],
  '0758jian/zyk': ['server: script=src/server.js instances=2 exec_mode=cluster env error_file out_file log_file time autorestart=true max_memory_restart watch=false'],
  '0xPotatoofdoom/repo_scanner': ['worker: script=index.js node_args=--max-old-space-size=1024 env max_memory_restart=200M error_file out_file min_uptime max_restarts autorestart=true watch=false ignore_watch merge_logs restart_delay'],
  '01Jhenni/pix': ['worker: script=server.js instances=1 exec_mode=fork env error_file out_file log_date_format merge_logs autorestart=true watch=false max_memory_restart node_args=--max-old-space-size=1024'],
} // prettier-ignore

const USUAL = {
  ...{ args: 'run start', cwd: './backend', env: { NODE_ENV: 'production', PORT: 3000, KEY: undefined } },
  ...{ env_dev: { NODE_ENV: 'development' }, env_production: { NODE_ENV: 'production' } },
  ...{ max_memory_restart: '1G', max_restarts: 10, min_uptime: '10s', restart_delay: 4000, kill_timeout: 5000 },
  ...{ exp_backoff_restart_delay: 100, cron_restart: '0 2 * * *', instance_var: 'INSTANCE_ID', wait_ready: true },
  ...{ error_file: './logs/err.log', error: './logs/error.log', out_file: './logs/out.log' },
  ...{ output: './logs/access.log', log_file: './logs/combined.log' },
  ...{ merge_logs: true, time: true, log_type: 'json', log_date_format: 'YYYY-MM-DD HH:mm:ss Z' },
  ignore_watch: ['node_modules', 'logs'],
} // prettier-ignore
const COMMANDS = ['npm', 'npx', 'pnpm', 'yarn', 'bun', 'ts-node']

/** The app, with a file where it has one: paths from / are from `folder` here. */
function appOf(text, folder) {
  const [kind, words] = text.split(': ')
  const pairs = words.split(' ').map((word) => {
    const [, option, value] = /^(\w+)(?:=(.*))?$/.exec(word)
    return [option, value === undefined ? USUAL[option] : valueOf(value)]
  })
  const app = Object.fromEntries(pairs)
  if (app.script.startsWith('/')) app.script = join(folder, app.script)
  const place = join(folder, app.cwd ?? '.')
  mkdirSync(place, { recursive: true })
  if (!COMMANDS.includes(app.script)) {
    const path = app.script.startsWith('/') ? app.script : join(place, app.script)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, '')
  }
  return { kind, app }
}

function valueOf(text) {
  if (text === 'true' || text === 'false') return text === 'true'
  return /^\d+$/.test(text) ? Number(text) : text.replaceAll('_', ' ')
}

/** Values that say what would be anyway, or the kind of the app, which is looked at by itself. */
const DEFAULTS = {
  ...{ autorestart: [true], watch: [false], instances: [1] },
  ...{ exec_mode: ['cluster', 'fork'], interpreter: ['node', 'bash', 'none'] },
}

describe('a configuration such as that of', () => {
  for (const [repository, texts] of Object.entries(FILES)) {
    test(repository, (t) => {
      const folder = temporaryFolder(t)
      for (const { kind, app } of texts.map((text) => appOf(text, folder))) {
        const { apps, notes } = fromPm2({ apps: [{ name: 'web', ...app }] }, folder)
        const [plan] = planConfig({ apps }, { file: 'c.js', folder, profile: undefined })
        const { command, interpreter, portless } = apps[0]
        const found = command || interpreter ? 'program' : portless ? 'worker' : 'server'
        assert.equal(found, kind, JSON.stringify(apps[0]))
        assert.equal(plan.options.env.NODE_ENV, app.env?.NODE_ENV)
        assert.ok(!notes.some((note) => /not known/.test(note)), notes.join('\n'))
        assert.deepEqual(lostOptions(app, notes, folder), [])
      }
    })
  }
})

/** Those without which the app would be read as the same, and of which nothing is said. */
function lostOptions(app, notes, folder) {
  const read = (options) => JSON.stringify(fromPm2([{ name: 'web', ...options }], folder).apps)
  return Object.keys(app).filter((option) => {
    if (option === 'script' || DEFAULTS[option]?.includes(app[option])) return false
    const isUsed = read(app) !== read({ ...app, [option]: undefined })
    return !isUsed && !notes.some((note) => new RegExp(`\\b${option}\\b`).test(note))
  })
}

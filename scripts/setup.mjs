// Makes a fresh clone ready: installs the packages when they are missing or outdated, then builds; with --types it checks the types too.
import { spawnSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

function step(label, command, args) {
  console.error(`> ${label}`)
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2] })
  if (error) throw error
  if (status !== 0) process.exit(status ?? 1)
}

const installed = `${root}node_modules/.package-lock.json`
const upToDate =
  existsSync(installed) && statSync(installed).mtimeMs >= statSync(`${root}package-lock.json`).mtimeMs
if (!upToDate) step('installing packages', 'npm', ['ci', '--loglevel=error'])
step('building', process.execPath, [`${root}scripts/build.mjs`])
if (process.argv.includes('--types'))
  step('checking types', process.execPath, [`${root}scripts/types.mjs`])

// Makes a fresh clone ready: installs the packages when they are missing or outdated, then builds; with --types it checks the types too.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

async function step(label, command, args) {
  console.error(`> ${label}`)
  const [code] = await once(
    spawn(command, args, { cwd: root, stdio: ['ignore', 2, 2], shell: command === 'npm' }),
    'exit',
  )
  if (code !== 0) process.exit(code ?? 1)
}

const installed = `${root}node_modules/.package-lock.json`
const upToDate =
  existsSync(installed) && statSync(installed).mtimeMs >= statSync(`${root}package-lock.json`).mtimeMs
if (!upToDate) await step('installing packages', 'npm', ['ci', '--loglevel=error'])
const building = step('building', process.execPath, [`${root}scripts/build.mjs`])
if (process.argv.includes('--types'))
  await step('checking types', process.execPath, [`${root}scripts/types.mjs`])
await building

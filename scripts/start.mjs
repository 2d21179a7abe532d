// What `npm start` shows: doctor on a small server with a slow page, in a copy of examples/slow-express, with the gain that it measured and the patch.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = join(mkdtempSync(join(tmpdir(), 'threadwise-start-')), 'slow-express')
cpSync(join(root, 'examples', 'slow-express'), folder, { recursive: true })
mkdirSync(join(folder, 'node_modules'))
const link = (name, target) => symlinkSync(target, join(folder, 'node_modules', name), 'junction') // Windows lets everybody make those
link('threadwise', root)
link('express', join(root, 'node_modules', 'express'))

const words = [
  'doctor',
  'server.js',
  '--path',
  '/forecast',
  '--path',
  '/',
  '--rate',
  '20',
  '--try',
  '--html',
  'report.html',
]
console.log(`npx threadwise ${words.join(' ')}        in a copy of examples/slow-express\n`)
const { status, signal } = spawnSync(process.execPath, [join(root, 'dist', 'cli', 'main.js'), ...words], {
  cwd: folder,
  stdio: 'inherit',
})
const patch = join(folder, 'threadwise.patch')
if (existsSync(patch)) console.log(`\n${readFileSync(patch, 'utf8')}`) // otherwise nothing was gained on this machine, as was said
console.log(`The copy, the report (report.html) and the patch are in ${folder}`)
process.exitCode = signal ? 130 : status

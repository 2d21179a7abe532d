// The code of the README and of docs/ works: each page is a project of its own, made of the files that it shows.
//
//   ```js file=tasks.js      is written as tasks.js
//   ```js run=main.js        is written, and run to its end
//   ```text output=main.js   is what that run prints
//   ```js run=main.js needs=marked,express   is run where these packages are, and with those of npm by `npm run test:field`
//
// TypeScript files are compiled, strictly. JavaScript without a mark is not allowed: nobody would notice when it is wrong.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, describe, test } from 'node:test'
import { blocksOf, readPage, root, userPages } from './pages.js'

const RUN_LIMIT_MS = 30_000
const code = ['js', 'mjs', 'cjs', 'ts', 'javascript', 'typescript']
const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc')

const compilerOptions = {
  ...{ module: 'nodenext', target: 'es2022', lib: ['es2023', 'esnext.disposable'], strict: true },
  ...{ noEmit: true, skipLibCheck: true, types: ['node'], typeRoots: [join(root, 'node_modules/@types')] },
}

/** A folder in which `import 'threadwise'` finds the built package; pages show OpenTelemetry, too. */
function createProject(files) {
  const folder = mkdtempSync(join(tmpdir(), 'threadwise-docs-'))
  after(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(root, join(folder, 'node_modules/threadwise'), 'junction')
  symlinkSync(
    join(root, 'node_modules/@opentelemetry'),
    join(folder, 'node_modules/@opentelemetry'),
    'junction',
  )
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
  for (const [name, text] of files) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return folder
}

/** False: it is not one of ours. */
function linkPackage(folder, name) {
  const [from, to] = [root, folder].map((each) => join(each, 'node_modules', name))
  if (!existsSync(from)) return false
  if (!existsSync(to)) symlinkSync(from, to, 'junction')
  return true
}

function run(folder, ...args) {
  const options = { cwd: folder, encoding: 'utf8', timeout: RUN_LIMIT_MS, killSignal: 'SIGKILL' }
  const { status, stdout, stderr, error } = spawnSync(process.execPath, args, options)
  assert.equal(status, 0, `${args.join(' ')}: ${error ?? `exit code ${status}`}\n${stdout}${stderr}`)
  return stdout
}

const fileOf = ({ marks }) => marks.file ?? marks.run

for (const page of userPages) {
  const blocks = blocksOf(readPage(page))
  const files = blocks.filter(fileOf)
  const runs = blocks.filter(({ marks }) => marks.run)

  describe(page, () => {
    const folder = createProject(files.map((block) => [fileOf(block), block.text]))

    test('marks all of its code, and each file once', () => {
      const unmarked = blocks.filter((block) => code.includes(block.language) && !fileOf(block))
      assert.deepEqual(
        unmarked.map(({ line }) => line),
        [],
        'lines of code blocks without file= or run=',
      )
      assert.equal(new Set(files.map(fileOf)).size, files.length)
      const outputs = blocks.filter(({ marks }) => marks.output).map(({ marks }) => marks.output)
      assert.deepEqual(outputs.filter((name) => !runs.some(({ marks }) => marks.run === name)), []) // prettier-ignore
    })

    for (const { marks, line } of runs) {
      const missing = (marks.needs?.split(',') ?? []).filter((name) => !linkPackage(folder, name))
      const skip = missing.length > 0 && `npm run test:field runs it with ${missing.join(' and ')}`
      test(`runs ${marks.run} of line ${line}`, { skip }, () => {
        const printed = run(folder, marks.run)
        const shown = blocks.find((block) => block.marks.output === marks.run)
        if (shown) assert.equal(printed, shown.text)
      })
    }

    const unrun = files.filter(({ marks, language }) => marks.file && language === 'js')
    test('has no mistake in the form of its other files', { skip: unrun.length === 0 }, () => {
      for (const { marks } of unrun) run(folder, '--check', marks.file)
    })

    const typed = files.some(({ language }) => language === 'ts')
    test('compiles its TypeScript', { skip: !typed && 'it has none' }, () => {
      run(folder, tsc, '-p', folder)
    })
  })
}

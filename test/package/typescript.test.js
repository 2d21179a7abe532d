// The types of the package as npm delivers it, in each way that TypeScript finds them.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import ts from 'typescript'
import { installPackage, root, tryRun } from './installed.js'

const { archive, folder, remove, write } = installPackage()
after(remove)

const main = `
  import { isThreadwiseError, threads } from 'threadwise'
  import { serve } from 'threadwise/cluster'
  import { measure } from 'threadwise/measure'
  import { map } from 'threadwise/parallel'
  import { task } from 'threadwise/task'
  import type * as Tasks from './tasks.js'
  export const pool = threads<typeof Tasks>('file:///tasks.js')
  export const sum: Promise<number> = pool.tasks.add(1, 2)
  export const sums = map(pool, 'one', [1, 2])
  export const signal: AbortSignal = task.signal
  export const others = [serve, measure]
  export const check = (error: unknown) => isThreadwiseError(error) && error.code === 'TW_ERR_CLOSED'
  // @ts-expect-error -- the types are found: a wrong call is refused
  export const wrong = pool.tasks.add('1')`
const tasks = `
  export const add = (a: number, b: number): number => a + b
  export const one = (a: number) => a`

/** Files that all programs read are read once. */
const files = new Map()

/** What is wrong in the program and in the types of the package; not in those of Node, which take long to check. */
function problems(name, options) {
  const compilerOptions = {
    ...{ target: 'es2022', lib: ['es2023', 'esnext.disposable'], strict: true, noEmit: true },
    ...{ types: ['node'], typeRoots: [join(root, 'node_modules', '@types')], ...options },
  }
  const converted = ts.convertCompilerOptionsFromJson(compilerOptions, folder)
  assert.deepEqual(converted.errors, [])
  const host = ts.createCompilerHost(converted.options)
  const { getSourceFile } = host
  host.getSourceFile = (path, target) => {
    const key = `${path} ${path.startsWith(folder) ? name : ''} ${target.impliedNodeFormat}`
    if (!files.has(key)) files.set(key, getSourceFile(path, target))
    return files.get(key)
  }
  const program = ts.createProgram([join(folder, name, 'main.ts')], converted.options, host)
  const own = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(folder))
  const found = [
    ...program.getOptionsDiagnostics(),
    ...own.flatMap((file) => [
      ...program.getSyntacticDiagnostics(file),
      ...program.getSemanticDiagnostics(file),
    ]),
  ]
  return {
    checked: own.map(({ fileName }) => fileName.replace(/^.*\//, '')),
    found: found.map((each) => `${each.file?.fileName}: ${ts.flattenDiagnosticMessageText(each.messageText, '\n')}`), // prettier-ignore
  }
}

describe('a program compiles, and the types are checked too', () => {
  for (const { type, types, ...options } of [
    { type: 'module', types: 'index.d.ts', module: 'nodenext', moduleResolution: 'nodenext' },
    { type: 'commonjs', types: 'index.d.cts', module: 'nodenext', moduleResolution: 'nodenext' },
    { type: 'commonjs', types: 'index.d.cts', module: 'node16', moduleResolution: 'node16' },
    { type: 'module', types: 'index.d.ts', module: 'preserve', moduleResolution: 'bundler' },
    { type: 'commonjs', types: 'index.d.cts', module: 'commonjs', moduleResolution: 'bundler' },
    {
      ...{ type: 'commonjs', types: 'index.d.cts', module: 'commonjs' },
      ...{ moduleResolution: 'node10', ignoreDeprecations: '6.0' },
    },
  ]) {
    const { module, moduleResolution } = options
    test(`as ${type} under module ${module} with ${moduleResolution} resolution`, () => {
      const name = `ts-${type}-${module}-${moduleResolution}`
      write(`${name}/package.json`, JSON.stringify({ type }))
      write(`${name}/main.ts`, main)
      write(`${name}/tasks.ts`, tasks)
      const { checked, found } = problems(name, options)
      assert.deepEqual(found, [])
      assert.ok(checked.includes(types), String(checked))
    })
  }
})

test('with the library of ES2015, which is the default of older projects', () => {
  const all = `
    import * as index from 'threadwise'
    import * as bullmq from 'threadwise/bullmq'
    import * as cluster from 'threadwise/cluster'
    import * as measure from 'threadwise/measure'
    import * as parallel from 'threadwise/parallel'
    import * as piscina from 'threadwise/piscina'
    import * as task from 'threadwise/task'
    export const all = [index, bullmq, cluster, measure, parallel, piscina, task]`
  write('ts-es2015/package.json', '{"type":"commonjs"}')
  write('ts-es2015/main.ts', all)
  const { checked, found } = problems('ts-es2015', {
    target: 'es2015',
    lib: ['es2015'],
    module: 'commonjs',
    moduleResolution: 'bundler',
  })
  assert.deepEqual(found, [])
  assert.ok(checked.includes('piscina.d.cts'), String(checked))
})

test('the types are right for import and for require', (t) => {
  const attw = ['--yes', '--prefer-offline', '@arethetypeswrong/cli@0.18.5']
  const { status } = tryRun('npx', [...attw, '--version'], { cwd: folder })
  if (status !== 0) return t.skip('npm cannot get @arethetypeswrong/cli')
  const told = tryRun('npx', [...attw, archive, '--no-emoji'], { cwd: folder, limitMs: 120_000 })
  assert.equal(told.status, 0, told.stdout + told.stderr)
})

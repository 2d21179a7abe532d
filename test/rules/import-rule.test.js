// Who may import whom in src/, as ARCHITECTURE.md has it; the rule itself is data in import-rule.js.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { importsOf, importViolations, mayImport } from './import-rule.js'
import { sourceFiles } from './source-files.js'

const files = sourceFiles()

test('no file of src imports what it may not, and no imports go in a circle', () => {
  assert.ok(Object.keys(files).length > 80, 'the sources are found')
  assert.deepEqual(importViolations(files), [])
})

test('every folder of src has a rule', () => {
  const units = new Set(Object.keys(files).map((path) => path.split('/')[0]))
  assert.deepEqual([...units].filter((unit) => !(unit in mayImport)), []) // prettier-ignore
})

test('what lies where in shared memory imports nothing: otherwise it becomes variables in the file of a worker', () => {
  for (const path of ['transport/queue-layout.ts', 'transport/worker-layout.ts', 'transport/tags.ts'])
    assert.deepEqual(importsOf(path, files[path]), [], path)
})

describe('the check finds', () => {
  const tree = {
    'errors.ts': '',
    'index.ts': '',
    'create-executor.ts': '',
    'task/load-task.ts': '',
    'protocol/messages.ts': '',
    'executor/executor.ts': '',
    'pool/pool.ts': '',
    'cpu/cpu-budget.ts': '',
    'profile/read-profile.ts': '',
    'threads/thread-worker.ts': '',
    'processes/process-worker.ts': '',
    'measure/result.ts': '',
    'measure/advise.ts': '',
    'lab/lab-result.ts': '',
    'report/html.ts': '',
    'cli/main.ts': '',
  }
  const check = (path, text) => importViolations({ ...tree, [path]: text })

  const forbidden = {
    'a runtime that knows another': ['threads/x.ts', `import { a } from '../processes/process-worker.js'`],
    'a type of another runtime': ['threads/x.ts', `import type { A } from '../processes/process-worker.js'`],
    'a dynamic import': ['pool/x.ts', `const a = await import('../threads/thread-worker.js')`],
    'an import() inside a function': ['pool/x.ts', `function f() { return import('../cpu/cpu-budget.js') }`],
    'an import inside a type': ['pool/x.ts', `type A = import('../cpu/cpu-budget.js').A`],
    'a re-export': ['executor/x.ts', `export { a } from '../pool/pool.js'`],
    'a re-export of all': ['executor/x.ts', `export * from '../pool/pool.js'`],
    'an import for its effect': ['errors.ts', `import './task/load-task.js'`],
    'a lower layer that knows a higher one': ['protocol/x.ts', `import type { A } from '../pool/pool.js'`],
    'the pool knowing the CPUs': ['pool/x.ts', `import { a } from '../cpu/cpu-budget.js'`],
    'the CPUs knowing the pool': ['cpu/x.ts', `import { a } from '../pool/pool.js'`],
    'an entry that imports the pool': ['threads/x-entry.ts', `import type { A } from '../pool/pool.js'`],
    'an entry that runs code of its folder': ['threads/x-entry.ts', `import { a } from './thread-worker.js'`],
    'measure knowing a runtime': ['measure/x.ts', `import { a } from '../threads/thread-worker.js'`],
    'measure wiring runtimes outside of the trial': [
      'measure/x.ts',
      `import { a } from '../create-executor.js'`,
    ],
    'a report that runs code of measure': ['report/x.ts', `import { a } from '../measure/result.js'`],
    'a report on more than results': ['report/x.ts', `import type { A } from '../measure/advise.js'`],
    'a lab that draws': ['lab/x.ts', `import { a } from '../report/html.js'`],
    'a service that loads the command line': ['executor/x.ts', `import { a } from '../cli/main.js'`],
    'a runtime that reads profiles': ['threads/x.ts', `import { a } from '../profile/read-profile.js'`],
    'the command line as a library': ['create-executor.ts', `import { a } from './cli/main.js'`],
    'an entry for users': ['cli/x.ts', `import { a } from '../index.js'`],
    'code in an entry for users': ['measure/index.ts', `export const a = 1`],
    'a module of Node in the pool': ['pool/x.ts', `import { a } from 'node:fs'`],
    'a type of Node in the pool': ['pool/x.ts', `import type { A } from 'node:worker_threads'`],
    'a module of Node in pure statistics': ['measure/summary.ts', `import { a } from 'node:fs'`],
    'a hidden module of Node': ['protocol/x.ts', `const a = process.getBuiltinModule('node:fs')`],
    'a module of Node by its old name': ['cpu/x.ts', `import { a } from 'fs'`],
    'a package outside of its folder': ['pool/x.ts', `import { a } from 'commander'`],
    'a package that nobody agreed on': ['cli/x.ts', `import { a } from 'chalk'`],
    'a file that does not exist': ['pool/x.ts', `import { a } from './gone.js'`],
  }
  for (const [title, [path, text]] of Object.entries(forbidden)) {
    test(title, () => {
      const violations = check(path, `// A file.\n${text}\n`)
      assert.equal(violations.length, 1, violations.join('\n'))
      assert.ok(violations[0].startsWith(path), violations[0])
    })
  }

  test('a cycle, also through dynamic imports, and none among types', () => {
    const a = `import { b } from './b.js'`
    assert.deepEqual(
      importViolations({ 'pool/a.ts': a, 'pool/b.ts': `export const a = () => import('./a.js')` }),
      ['pool/a.ts -> pool/b.ts -> pool/a.ts is a cycle'],
    )
    assert.deepEqual(importViolations({ 'pool/a.ts': a, 'pool/b.ts': `import type { A } from './a.js'` }), [])
    assert.deepEqual(importViolations({ 'pool/a.ts': a, 'pool/b.ts': `import { type A } from './a.js'` }), [])
  })

  test('nothing in what is allowed', () => {
    const allowed = {
      'threads/x.ts': `import { a } from 'node:fs'\nimport { b } from '../pool/pool.js'`,
      'threads/x-entry.ts': `import type { A } from './thread-worker.js'\nimport { b } from '../task/load-task.js'`,
      'measure/trial-entry.ts': `import { a } from '../create-executor.js'\nimport { b } from './advise.js'`,
      'measure/index.ts': `export { a } from './advise.js'\nexport { b } from '../report/html.js'`,
      'create-executor.ts': `const a = () => import('./threads/thread-worker.js')`,
      'report/x.ts': `import type { A } from '../measure/result.js'`,
      'lab/x.ts': `import type { A } from '../report/html.js'\nimport { b } from '../measure/advise.js'`,
      'cli/x.ts': `import { a } from 'commander'\nimport { b } from '../report/html.js'`,
      'task/x.ts': `const module = await import(url)\n// import { a } from '../pool/pool.js'`,
      'pool/x.ts': `import type { A } from '../executor/executor.js'\nconst text = "import('node:fs')"`,
    }
    for (const [path, text] of Object.entries(allowed)) assert.deepEqual(check(path, text), [])
  })
})

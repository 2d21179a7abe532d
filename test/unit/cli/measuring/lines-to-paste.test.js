// What measure and doctor say to paste, in the kind of module and the language of the user's file.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { linesAfterDoctor, linesAfterMeasure } from '../../../../build/cli/measuring/lines-to-paste.js'
import { temporaryFolder } from '../../../helpers/files.js'

const advice = (executor, size, more = {}) => ({ cpus: 2, variant: 'render', executor, size, isSettled: true, ...more }) // prettier-ignore

function measured(
  t,
  { file = 'tasks.js', type = 'module', advice: all = [advice('threads', 2)], noise = 'quiet' } = {},
) {
  const folder = temporaryFolder(t)
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type }))
  const module = pathToFileURL(join(folder, file)).href
  return linesAfterMeasure({ advice: all, noise: { verdict: noise }, workload: { module, variants: { render: 'render' } } }) // prettier-ignore
}

describe('after a measurement', () => {
  test('an ES module imports, and names the module by a URL', (t) => {
    const text = measured(t)
    assert.match(text, /^\nUse it\n {2}import \{ threads \} from 'threadwise'\n/)
    assert.match(text, /threads\(new URL\('\.\/tasks\.js', import\.meta\.url\), \{ size: 2 \}\)/)
    assert.match(text, /await pool\.tasks\.render\(\.\.\.\)/)
  })

  for (const [file, type] of [
    ['tasks.js', 'commonjs'],
    ['tasks.cjs', 'module'],
  ])
    // prettier-ignore
    test(`CommonJS requires: ${file} in a package of ${type}`, (t) => {
      const text = measured(t, { file, type })
      assert.match(text, /const \{ threads \} = require\('threadwise'\)/)
      assert.ok(text.includes(`threads(require.resolve('./${file}'), { size: 2 })`))
    })

  test('TypeScript has the types of the tasks', (t) => {
    const text = measured(t, { file: 'tasks.ts', type: 'commonjs' })
    assert.match(text, /import type \* as Tasks from '\.\/tasks\.ts'\n/)
    assert.match(text, /threads<typeof Tasks>\(new URL/)
  })

  test('concurrent has a concurrency, and what differs by the limit is left to executor()', (t) => {
    assert.match(measured(t, { advice: [advice('concurrent', 16)] }), /\{ concurrency: 16 \}/)
    const text = measured(t, { advice: [advice('inline', 1), advice('threads', 2)] })
    assert.match(text, /^\nUse it \(with --save, it follows threadwise\.json\)\n {2}import \{ executor \}/)
    assert.match(text, /executor\(new URL\('\.\/tasks\.js', import\.meta\.url\)\)\n/)
  })

  test('nothing where it stays inline, is not settled, or the machine was too busy', (t) => {
    assert.equal(measured(t, { advice: [advice('inline', 1)] }), '')
    assert.equal(measured(t, { advice: [advice('threads', 2, { isSettled: false })] }), '')
    assert.equal(measured(t, { noise: 'unusable' }), '')
  })
})

describe('after a diagnosis', () => {
  const found = (file, callers = [], more = {}) => ({ file, verdict: 'move', conditions: callers.map((caller) => ({ kind: 'await-callers', file: caller })), task: { name: 'report', module: '.threadwise/report.tasks.mjs' }, ...more }) // prettier-ignore

  test('the lines are for the file that calls it, as seen from there', () => {
    const text = linesAfterDoctor(
      { trial: null, functions: [found('lib/report.mjs', ['routes/page.mjs'])] },
      false,
    )
    assert.match(text, /^\nUse it in routes\/page\.mjs; --write tasks makes a module of it/)
    assert.match(text, /new URL\('\.\.\/\.threadwise\/report\.tasks\.mjs', import\.meta\.url\)/)
  })

  test('nothing where it was tried: with a patch that is the change, and without one nothing is gained', () => {
    for (const patch of ['--- a/report.mjs', null])
      assert.equal(linesAfterDoctor({ trial: { patch }, functions: [found('report.mjs')] }, false), '')
  })

  test('a folder that begins with a dot is no package', () => {
    const text = linesAfterDoctor({ trial: null, functions: [found('report.cjs')] }, false)
    assert.match(text, /require\.resolve\('\.\/\.threadwise\/report\.tasks\.mjs'\)/)
  })

  test('nothing is said of --write where it was given, and nothing at all where nothing can move', () => {
    assert.match(
      linesAfterDoctor({ trial: null, functions: [found('report.mjs')] }, true),
      /^\nUse it in report\.mjs\n/,
    )
    assert.equal(linesAfterDoctor({ trial: null, functions: [found('a.mjs', [], { verdict: 'cannot', task: null })] }, false), '') // prettier-ignore
  })
})

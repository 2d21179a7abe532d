// lab posts: its rows, what it says about made-up figures, and real posts, sound and broken, on real executors.
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { inline, threads } from '../../../../dist/index.js'
import { findPackages } from '../../../../build/lab/runner/find-packages.js'
import { start } from '../../../../build/lab/programs/posts-program.js'
import { posts } from '../../../../build/lab/experiments/posts.js'
import { readPosts } from '../../../../build/lab/tasks/read-posts.js'
import { testFolder } from '../../../helpers/files.js'
import { measuredRows } from '../made-up-rows.js'

const values = { count: 160, folder: '', threads: [1, 2] }
const packages = findPackages('a test', ['gray-matter', 'zod'])
const conclude = (figures) => posts.conclude(measuredRows(posts, values, figures), values)
const ratios =
  (...bySize) =>
  ({ cell }) => ({ ratio: cell.executor === 'inline' ? [1, 1, 1] : bySize[cell.size - 1] })

describe('lab posts', () => {
  test('has a sentence that follows from the intervals', () => {
    assert.match(
      conclude(ratios(1.1, 1.7)).sentence,
      /^Reading the posts is worth threads here: 2 threads give 1\.70/,
    )
    assert.match(
      conclude(ratios(1.1, 0.7)).sentence,
      /^Reading the posts is not worth threads here: 1 thread gives/,
    )
    assert.match(
      conclude(ratios(0.9, [1.3, 0.9, 1.9])).sentence,
      /^Reading the posts: cannot tell, .*a larger --budget while nothing else runs\.$/,
    )
    assert.match(conclude(() => ({ failed: 'no' })).sentence, /could not be measured/)
  })

  test('reads the posts that it made on every executor, and names the broken ones', async (t) => {
    const folder = testFolder(t)('.')
    const { found } = await posts.prepare(values, folder)
    assert.match(found[0], /^Of 160 posts 3 are broken and reported by name, and the others arrive: post-00049\.mdx \(title: .*post-00099\.mdx \(date: .*post-00149\.mdx \(/) // prettier-ignore
    assert.doesNotMatch(found[0], /more\.$/)
    const rows = posts.rows(values, folder)
    for (const { cell } of rows) {
      const executor =
        cell.executor === 'inline' ? inline(cell.source.url) : threads(cell.source.url, { size: cell.size })
      const run = await start(executor, ...cell.source.inputs[0])
      await run()
      await run()
      await executor.close()
    }
    // A post that is not as it was is found.
    writeFileSync(join(folder, 'posts', 'post-00000.mdx'), '---\ntitle: another\n---\n')
    const executor = inline(rows[0].cell.source.url)
    const run = await start(executor, ...rows[0].cell.source.inputs[0])
    await assert.rejects(run, /are not those of a plain loop/)
    await executor.close()
  })

  test('streams the front matter of a post before its content, and a problem instead of a broken one', async (t) => {
    const path = testFolder(t)
    writeFileSync(path('good.mdx'), '---\ntitle: Good\ndate: 2026-01-02\nmood: fine\n---\n# Hello\n')
    writeFileSync(path('bad.mdx'), '---\ntitle: [\n---\n')
    const parts = []
    const files = ['bad.mdx', 'missing.mdx', 'good.mdx']
    for await (const part of readPosts({ folder: path('.'), files, packages })) parts.push(part)
    const [bad, missing, matter, content] = parts
    assert.deepEqual([parts.length, bad.file, missing.file], [4, 'bad.mdx', 'missing.mdx'])
    assert.ok(bad.problem.length > 0 && !bad.problem.includes('\n'))
    assert.match(missing.problem, /ENOENT/)
    const frontMatter = { title: 'Good', date: new Date('2026-01-02'), mood: 'fine' }
    assert.deepEqual(matter, { file: 'good.mdx', frontMatter })
    assert.deepEqual(content, { file: 'good.mdx', content: '# Hello\n' })
  })

  test('reads a folder of the user, with those below, and leaves it alone', async (t) => {
    const path = testFolder(t)
    mkdirSync(path('below'))
    writeFileSync(path('below/one.mdx'), '---\ntitle: One\n---\nText')
    writeFileSync(path('two.md'), '---\ntitle: ""\n---\n')
    writeFileSync(path('notes.txt'), 'not a post')
    const given = { ...values, folder: path('.') }
    const folder = testFolder(t)('.')
    const { found } = await posts.prepare(given, folder)
    assert.match(
      found[0],
      /^Of 2 posts one is broken and reported by name, and the others arrive: two\.md \(title:/,
    )
    assert.equal(posts.rows(given, folder)[0].cell.source.inputs[0][0].folder, path('.').replace(/\/\.$/, ''))
    assert.deepEqual(readdirSync(path('.')).sort(), ['below', 'notes.txt', 'two.md'])
  })

  test('refuses a folder without posts', async (t) => {
    const path = testFolder(t)
    writeFileSync(path('notes.txt'), 'not a post')
    for (const [folder, reason] of [
      [path('.'), /there is none/],
      [path('none'), /ENOENT/],
    ])
      // prettier-ignore
      await assert.rejects(posts.prepare({ ...values, folder }, path('.')), { code: 'TW_ERR_INVALID_OPTION', message: reason })
  })
})

describe('findPackages', () => {
  test('says which command installs what is missing, and where', () => {
    const find = () => findPackages('threadwise lab x', ['zod', 'no-such-package'], '/somewhere')
    assert.throws(find, {
      code: 'TW_ERR_PACKAGE_MISSING',
      message:
        /^threadwise lab x works with no-such-package, .* from \/somewhere\. Run "npm install no-such-package" there/,
    })
  })

  test('prefers the packages of the project', (t) => {
    const path = testFolder(t)
    mkdirSync(path('node_modules/zod'), { recursive: true })
    writeFileSync(path('node_modules/zod/index.js'), '')
    assert.equal(findPackages('a test', ['zod'], path('.')).zod, path('node_modules/zod/index.js'))
  })
})

// Links lead somewhere, and no page holds what belongs to the machine on which it was written.
import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import {
  allPages,
  anchorsOf,
  inlineCodeOf,
  linksOf,
  readPage,
  resolveLink,
  root,
  userPages,
} from './pages.js'

/** A path from the root, or from src/. */
const OWN_FILE = /^(?:(?:src|test|scripts|bench|examples|docs|\.ci)\/[\w./-]+|[\w-]+(?:\/[\w-]+)+\.ts)$/

const FOREIGN = [
  ['a path of the machine', /(?<![\w.])\/(?:work|tmp|home|root|Users|private|mnt)\/\w/],
  ['a registry host', /\bregistry\.[a-z]|\bnpm\.pkg\.|artifactory|nexus\b/i],
]

for (const page of allPages) {
  describe(page, () => {
    const markdown = readPage(page)
    const links = linksOf(markdown)

    test('links only to what exists', () => {
      const relative = links.filter((target) => !/^[a-z]+:/.test(target))
      const broken = relative.filter((target) => {
        const { page: other, anchor } = resolveLink(page, target)
        if (!existsSync(join(root, other))) return true
        return anchor !== '' && !anchorsOf(readPage(other)).includes(anchor)
      })
      assert.deepEqual(broken, [])
    })

    test('names only files of the repository that exist', () => {
      const named = inlineCodeOf(markdown).filter((code) => OWN_FILE.test(code) && !/[A-Z*]/.test(code))
      const missing = named.filter(
        (path) => ![path, `src/${path}`].some((each) => existsSync(join(root, each))),
      )
      assert.deepEqual(missing, [])
    })

    test('has no two headings with the same anchor, and only secure outside links', () => {
      const anchors = anchorsOf(markdown)
      assert.deepEqual(anchors.filter((anchor, i) => anchors.indexOf(anchor) !== i), []) // prettier-ignore
      assert.deepEqual(links.filter((target) => /^[a-z]+:/.test(target) && !target.startsWith('https://')), []) // prettier-ignore
    })

    for (const [what, pattern] of FOREIGN) {
      test(`holds no ${what.replace('a ', '')}`, () => assert.doesNotMatch(markdown, pattern))
    }
    test('names not the folder of this checkout', () => {
      assert.equal(markdown.includes(root.replace(/\/$/, '')), false)
    })
  })
}

test('every page of docs/ is reached from the README, or from the lists of pages that it links to', () => {
  const lists = ['README.md', 'docs/README.md', 'docs/recipes/README.md']
  const reached = lists.flatMap((list) =>
    linksOf(readPage(list)).map((target) => resolveLink(list, target).page),
  )
  assert.deepEqual(userPages.slice(1).filter((page) => !reached.includes(page)), []) // prettier-ignore
})

/** They hold tables of all options, fields or errors, and are looked up, not read. */
const REFERENCES = ['docs/errors.md']

test('no page is longer than 2,500 words, but references, and no recipe than 400', () => {
  const wordsOf = (page) => readPage(page).split(/\s+/).filter(Boolean).length
  const isReference = (page) => REFERENCES.includes(page) || page.startsWith('docs/maintainers/')
  const limitOf = (page) => (/^docs\/recipes\/(?!README)/.test(page) ? 400 : 2500)
  assert.deepEqual(userPages.filter((page) => !isReference(page) && wordsOf(page) > limitOf(page)), []) // prettier-ignore
})

test('ARCHITECTURE.md has at most 100 lines, and names every folder of src', () => {
  const text = readPage('ARCHITECTURE.md')
  assert.ok(text.trimEnd().split('\n').length <= 100)
  const folders = readdirSync(join(root, 'src'), { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  )
  assert.deepEqual(folders.filter(({ name }) => !text.includes(`\`${name}/\``)), []) // prettier-ignore
})

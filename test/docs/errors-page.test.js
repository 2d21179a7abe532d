// docs/errors.md and the table of errors have the same codes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errorCodes } from '../../build/errors/error-messages.js'
import { allPages, readPage } from './pages.js'

const headings = [...readPage('docs/errors.md').matchAll(/^### (TW_ERR_\w+)$/gm)].map(([, code]) => code)

test('every code has a heading in docs/errors.md, and every heading a code', () => {
  assert.ok(errorCodes.length > 10)
  assert.deepEqual([...headings].sort(), [...errorCodes].sort())
})

test('every heading is followed by when it comes and by what to do', () => {
  const sections = readPage('docs/errors.md').split(/^### /m).slice(1)
  const incomplete = sections.filter((section) => !/\n\n[A-Z`].+[^]*\*\*What to do:\*\* \S/.test(section))
  assert.deepEqual(incomplete.map((section) => section.split('\n')[0]), []) // prettier-ignore
})

for (const page of allPages) {
  test(`${page} names no code that does not exist`, () => {
    const named = [...readPage(page).matchAll(/\bTW_ERR_[A-Z_]*[A-Z]/g)].map(([code]) => code)
    assert.deepEqual(named.filter((code) => !errorCodes.includes(code)), []) // prettier-ignore
  })
}

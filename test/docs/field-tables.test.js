// The tables of what was tried with other tools are those of field/results.json.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { groups } from '../../field/rows/all-rows.js'
import { readResults, withTables } from '../../field/tables.js'
import { readPage, root } from './pages.js'

for (const { title, name, page, rows } of groups) {
  describe(title, () => {
    test('their table is on the page, as it was generated', () => {
      assert.ok(readPage(page).includes(`<!-- field ${name} -->`))
      assert.equal(withTables(readPage(page)), readPage(page), 'npm run test:field -- --table')
    })

    test('each row was tried, on a day that is told', () => {
      const results = readResults()
      for (const row of rows) assert.match(results[row.name]?.date ?? 'never', /^\d{4}-\d\d-\d\d$/, row.name)
    })

    test('each row has a name of its own, and an app', () => {
      const names = groups.flatMap((group) => group.rows.map((row) => row.name))
      assert.equal(new Set(names).size, names.length)
      for (const row of rows) assert.ok(existsSync(join(root, 'field/apps', row.app)), row.app)
    })
  })
}

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'

const root = new URL('../../', import.meta.url)
const { exports } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'))
/** Not those that stand alone: the plugin, which no program loads, queues, the way from piscina, what doctor is let in by, and what pages load. */
const waysIn = Object.entries(exports).flatMap(([name, way]) =>
  way.import && !/^\.\/(unplugin|bullmq|piscina|web|doctor)\b/.test(name) ? way : [],
)

const loadedBy = (url) =>
  [...readFileSync(url, 'utf8').matchAll(/(?: from |\brequire\()"(\.[^"]*)"\)?;$/gm)].map(
    ([, path]) => new URL(path, url).href,
  )

for (const file of ['dist/bullmq.js', 'dist/bullmq.cjs'])
  test(`${file} stands alone, and loads BullMQ only when it is used`, () => {
    const text = readFileSync(new URL(file, root), 'utf8')
    assert.deepEqual(loadedBy(new URL(file, root)), [])
    assert.doesNotMatch(text, /(from |require\(|import\()"(bullmq|ioredis)/)
  })

for (const how of ['import', 'require']) {
  const files = waysIn.map((way) => way[how].default)
  describe(`what a program loads from the package by ${how} is its own file, and one that all share`, () => {
    for (const file of files) {
      test(file, () => {
        const loaded = loadedBy(new URL(file, root))
        assert.equal(loaded.length, 1, String(loaded))
        assert.deepEqual(loaded, loadedBy(new URL(files[0], root)))
        assert.deepEqual(loadedBy(new URL(loaded[0])), [])
      })
    }
  })
}

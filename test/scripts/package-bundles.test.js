// What a program loads with a way in: few files, and nothing of what it does not use.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'

const root = new URL('../../', import.meta.url)
const { exports } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'))
const filesOf = (pattern, how) =>
  Object.entries(exports).flatMap(([name, way]) =>
    pattern.test(name) ? new URL(way[how].default, root) : [],
  )

const NAMED = /(?: from |\brequire\(|^import )"(\.[^"]*)"\)?;$/gm

/** Itself first, then what its code names as it loads, and so on. */
function loadedBy(url, found = new Set()) {
  if (found.has(url.href)) return []
  found.add(url.href)
  const next = [...readFileSync(url, 'utf8').matchAll(NAMED)].map(([, path]) => new URL(path, url))
  return [url, ...next.flatMap((each) => loadedBy(each, found))]
}

for (const how of ['import', 'require'])
  describe(`by ${how}`, () => {
    for (const url of filesOf(/^\.(\/(task|parallel|cluster|piscina|bullmq|measure))?$/, how))
      test(`${url.pathname.split('/').at(-1)} loads at most a dozen files, all there, and no other package`, () => {
        const loaded = loadedBy(url)
        assert.ok(loaded.length <= 12, loaded.join('\n'))
        for (const each of loaded)
          assert.doesNotMatch(
            readFileSync(each, 'utf8'),
            /(^import .*|^} from |\brequire\()"(?!node:)[a-z@]/m,
            each.href,
          )
      })

    for (const url of filesOf(/^\.\/(unplugin|doctor\/register|web.*)$/, how))
      test(`${url.pathname.split('/').at(-1)} stands alone`, () => assert.equal(loadedBy(url).length, 1))

    test('a task module loads no executor', () => {
      const [engine] = filesOf(/^\.$/, how).flatMap((url) => loadedBy(url)).sort((a, b) => sizeOf(b) - sizeOf(a)) // prettier-ignore
      const [task] = filesOf(/^\.\/task$/, how)
      const loaded = loadedBy(task)
      assert.ok(!loaded.some(({ href }) => href === engine.href))
      assert.ok(loaded.reduce((sum, url) => sum + sizeOf(url), 0) < 120_000)
    })
  })

function sizeOf(url) {
  return readFileSync(url).length
}

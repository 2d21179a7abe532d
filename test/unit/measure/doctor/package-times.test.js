// What packages took outside of the user's functions.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { packageTimes } from '../../../../build/measure/doctor/package-times.js'

/** A profile of a tree: [function, url, milliseconds, [children]]. */
function profileOf(tree) {
  const nodes = []
  const samples = []
  const add = ([functionName, url, ms, children = []]) => {
    const id = nodes.length + 1
    const node = { id, callFrame: { functionName, url, scriptId: url === '' ? '0' : '7', lineNumber: 0, columnNumber: 0 }, children: [] } // prettier-ignore
    nodes.push(node)
    for (let left = ms; left > 0; left--) samples.push(id)
    node.children = children.map(add)
    return id
  }
  add(tree)
  return {
    nodes,
    samples,
    timeDeltas: [0, ...samples.map(() => 1000)],
    startTime: 0,
    endTime: 1000 * samples.length,
  }
}

const inPackage = (name, file = 'index.js') => `file:///app/node_modules/${name}/${file}`
const isUsers = ({ url }) => url.startsWith('file:///app/') && !url.includes('node_modules')
const times = (...children) => packageTimes(profileOf(['(root)', '', 0, children]), isUsers)

describe('the time of packages', () => {
  test('has the name of the package, its function, and what that called', () => {
    const [first, ...others] = times(
      ['parse', inPackage('body-parser', 'lib/json.js'), 0, [['parse', '', 80]]],
      ['handle', inPackage('router'), 10],
      ['(idle)', '', 500],
      ['(program)', '', 10],
    )
    assert.deepEqual([first.name, first.function, first.share], ['body-parser', 'parse', 0.8])
    assert.match(first.advice, /its limit.*parse them in a task/)
    assert.deepEqual(others.map(({ name, share }) => [name, share]), [['router', 0.1]]) // prettier-ignore
  })

  test('is that of the innermost package, with its scope', () => {
    const nested = `file:///app/node_modules/a/node_modules/@scope/b/index.js`
    const [only] = times(['outer', inPackage('a'), 0, [['inner', nested, 90]]])
    assert.deepEqual([only.name, only.function], ['@scope/b', 'inner'])
  })

  test("leaves out what the user's functions call, and what is too small to be named", () => {
    assert.deepEqual(times(['work', 'file:///app/work.js', 10, [['render', inPackage('marked'), 80]]], ['tick', inPackage('small'), 4], ['burn', 'file:///app/b.js', 96]), []) // prettier-ignore
  })

  test('shows no text of a pattern, which may be data', () => {
    const [only] = times(['match', inPackage('matcher'), 0, [['RegExp: ^secret$', '', 90]]])
    assert.equal(only.function, 'match, in it RegExp')
  })
})

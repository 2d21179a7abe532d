// Who calls a function, by stacks: what is moved gives a promise.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { judgeCallers } from '../../../../../build/measure/doctor/conditions/judge-callers.js'
import { createPlaces } from '../../../../../build/measure/doctor/source/places.js'
import { userFiles } from '../../../../../build/measure/doctor/source/find-script.js'
import { parseScript } from '../../../../../build/measure/doctor/source/script-functions.js'

const PATH = '/app/server.js'

/** `price(` in the text is the call; frames of the stack are functions of the text by where they call, or others. */
function judge(text, frames) {
  const parsed = parseScript(text)
  const script = { url: PATH, parsed, placeOf: (line) => ({ file: PATH, line: line + 1, isUsers: true }) }
  const places = createPlaces([script], userFiles([script]))
  const frameOf = (frame) => {
    if (typeof frame !== 'string') return { url: '', line: 0, column: 0, name: '', isAsync: false, ...frame }
    const { line, column } = parsed.placeOf(text.indexOf(frame))
    return { url: PATH, line, column, name: 'secret name', isAsync: false }
  }
  const { cannot, conditions } = judgeCallers('price', [frames.map(frameOf)], places)
  return cannot ?? conditions.map(({ text: each }) => each)
}

describe('a caller', () => {
  for (const [what, text, frames, expected] of [
    ['that awaits already needs nothing', 'async function page() { const p = await price(1) }', ['price(1)'], []],
    ['of the user has to await', 'function page() { return price(1) }', ['price(1)'], ['page awaits price, and is async']],
    ['that is async has to await', 'async function page() { const p = price(1); return p }', ['price(1)'], ['page awaits price']],
    ['and its callers, up to one that awaits', 'function page() { return price(1) } async function main() { await page() }', ['price(1)', 'page() }'], ['page awaits price, and is async']],
    ['that calls it for each element waits for all', 'async function page(rows) { return rows.map((row) => price(row)) }', ['price(row)', { name: 'Array.map' }, 'rows.map'], undefined],
    ['that waits for all already needs no more', 'async function page(rows) { return await Promise.all(rows.map((row) => price(row))) }', ['price(row)', { name: 'Array.map' }, 'rows.map'], ['rows.map callback awaits price, and is async']],
    ['that is a getter cannot wait', 'const o = { get page() { return price(1) } }', ['price(1)'], /getter or setter page .*which takes no promise/],
    ['that is a constructor cannot wait', 'class A { constructor() { this.p = price(1) } }', ['price(1)'], /called by a constructor/],
    ['of the language cannot wait', '', [{ name: 'Array.filter' }], 'price is called by Array.filter, which takes no promise'],
    ['of the language that only passes it on does not count', 'async function page() { await go() }', [{ name: 'Reflect.apply' }, 'go()'], []],
    ['that was compiled while the app ran is not named', '', [{ name: 'secret' }], 'price is called by the language, which takes no promise'],
    ['of a package cannot be told', '', [{ url: '/app/node_modules/handlebars/index.js', name: 'helper' }], /called by the package handlebars \(helper\), and nothing says/],
    ['of a framework waits', '', [{ url: '/app/node_modules/@nestjs/core/index.js', name: 'handler' }], []],
    ['that goes on after it has waited has waited', '', [{ isAsync: true, name: 'Array.filter' }], []],
  ])
    test(what, () => {
      const found = judge(text, frames)
      if (expected instanceof RegExp) assert.match(String(found), expected)
      else if (expected === undefined) assert.match(found.join(), /Promise\.all around map/)
      else assert.deepEqual(found, expected)
    }) // prettier-ignore
})

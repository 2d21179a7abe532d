// Real arguments without what they say: other words of the same form, the same shape.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createRedactor } from '../../../../build/measure/doctor/proof/redact.js'

const redactor = (isRaw = false) =>
  createRedactor({ isRaw, isOfCode: (word) => ['name', 'rows', 'password', 'id'].includes(word) })

/** Each word differs from the one in its place: by chance one may hold another's letters. */
function assertOtherWords(actual, original) {
  const wordsOf = (text) => text.match(/[A-Za-z0-9]+/g)
  assert.equal(wordsOf(actual).length, wordsOf(original).length)
  for (const [at, word] of wordsOf(actual).entries()) assert.notEqual(word, wordsOf(original)[at])
}

describe('redacted arguments', () => {
  test('hold no word of the real ones, and words of the same form', () => {
    const original = 'Ada Lovelace, 29 Downing Street <ada@example.org>'
    const { name } = redactor()({ name: original })
    assertOtherWords(name, original)
    assert.match(name, /^[A-Z][a-z]{2} [A-Z][a-z]{7}, \d{2} [A-Z][a-z]{6} [A-Z][a-z]{5} <[a-z]{3}@[a-z]{7}\.[a-z]{3}>$/)
  }) // prettier-ignore

  test('have the same word for the same word, and another one the next time', () => {
    const values = ['Lovelace', 'Lovelace', 'Hopper and Lovelace']
    const [one, two, three] = redactor()(values)
    assert.equal(one, two)
    assert.equal(three.split(' ')[2], one)
    assert.notEqual(redactor()(values)[0], one)
  })

  test('keep their shape: keys of the code, lists, maps, sets, short numbers, tables of numbers', () => {
    const numbers = new Float64Array([1.5, 2.5])
    const given = { rows: [{ id: 7, name: null }], more: new Map([['id', new Set([1])]]), numbers }
    const [key] = Object.keys(redactor()({ Lovelace: 1 }))
    assert.match(key, /^[A-Z][a-z]{7}$/)
    assert.notEqual(key, 'Lovelace')
    const { rows, ...others } = redactor()(given)
    assert.deepEqual(rows, given.rows)
    assert.deepEqual(new Set(Object.values(others)), new Set([given.more, numbers]))
  })

  test('have other long numbers, about as large and the same for the same', () => {
    const [one, two, big] = redactor()([4111111111111111, 4111111111111111, 49301234567n])
    assert.equal(one, two)
    assert.notEqual(one, 4111111111111111)
    assert.match(String(one), /^411\d{13}$/)
    assert.match(String(big), /^493\d{8}$/)
  })

  test('have other bytes for letters, and other dates', () => {
    const [bytes, date] = redactor()([Buffer.from('Lovelace'), new Date('1815-12-10')])
    assert.match(bytes.toString('latin1'), /^[A-Z][a-z]{7}$/)
    assert.notEqual(bytes.toString(), 'Lovelace')
    assert.ok(date instanceof Date && !Number.isNaN(date.getTime()))
    assert.notEqual(date.getTime(), Date.parse('1815-12-10'))
  })

  test('are in a circle where the real ones are', () => {
    const given = { name: 'Ada' }
    given.rows = [given]
    const copy = redactor()(given)
    assert.equal(copy.rows[0], copy)
  })

  test('that are raw are as they were, but for what looks secret', () => {
    const given = { name: 'Ada', id: 4111111111111111, password: 'geheim', apiKey: ['abc'], card: { number: 123456 } }
    const { password, apiKey, card, ...others } = redactor(true)(given)
    assert.deepEqual(others, { name: 'Ada', id: 4111111111111111 })
    assertOtherWords([password, ...apiKey, card.number].join(), 'geheim,abc,123456')
    assert.match(password, /^[a-z]{6}$/)
  }) // prettier-ignore
})

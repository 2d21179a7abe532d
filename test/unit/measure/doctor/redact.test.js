// Real arguments without what they say: other words of the same form, the same shape.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { serialize } from 'node:v8'
import { createRedactor } from '../../../../build/measure/doctor/proof/redact.js'
import { numberPlants, textPlants } from '../../../fixtures/doctor/secrets/plants.mjs'
import { findSecrets } from '../../../helpers/find-secrets.js'

const redactor = (isRaw = false) =>
  createRedactor({
    isRaw,
    isName: (word) => ['name', 'rows', 'password', 'id', 'number'].includes(word),
    isChoice: (text) => text === 'html',
  })

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

  test('keep their shape: names of the code, lists, maps, sets, short numbers, choices, true and false', () => {
    const [key] = Object.keys(redactor()({ Lovelace: 1 }))
    assert.match(key, /^[A-Z][a-z]{7}$/)
    assert.notEqual(key, 'Lovelace')
    const given = { rows: [{ id: 7, name: null }, [2026, -1, 0]], name: 'html', id: new Map([['id', new Set([1, true])]]) }
    assert.deepEqual(redactor()(given), given)
  }) // prettier-ignore

  const secret = 'KxQvTrZwPmBnLdHs7q'
  const digits = '831746295347'
  for (const [place, plant] of Object.entries(textPlants))
    test(`hold no secret that is planted as ${place}, and a search finds it in the real ones`, () => {
      const given = [{ rows: plant(secret) }]
      const isPacked = /gzip|deflate/.test(place)
      if (!isPacked) assert.notDeepEqual(findSecrets(serialize(given), [secret]), [])
      assert.deepEqual(findSecrets(serialize(redactor()(given)), [secret]), [])
      assert.deepEqual(findSecrets(serialize(redactor(true)([{ password: plant(secret) }])), [secret]), [])
    })

  for (const [place, plant] of Object.entries(numberPlants))
    test(`hold another number that is planted as ${place}`, () => {
      const named = createRedactor({ isRaw: false, isName: () => true, isChoice: () => false })
      assert.notDeepEqual(named({ [place]: plant(digits) }), { [place]: plant(digits) })
      if (place === 'setting') assert.notEqual(named(plant(digits)).value, plant(digits).value)
      if (place === 'pair') assert.notEqual(named(plant(digits))[0][1], plant(digits)[0][1])
    })

  test('of a parameter that looks secret are replaced whole', () => {
    const [pin, count] = redactor()([4711, 4711], ['pin', 'count'])
    assert.notEqual(pin, 4711)
    assert.equal(count, 4711)
  })

  test('have arrays and buffers of the same kind and size, which bring along nothing of the memory around', () => {
    const memory = Buffer.from('Lovelace is here, and more')
    const kinds = [Uint8Array, Int8Array, Uint16Array, Int32Array, Float32Array, BigUint64Array, DataView]
    for (const Kind of kinds) {
      const given = new Kind(memory.buffer.slice(memory.byteOffset, memory.byteOffset + 24), 8)
      const copy = redactor()({ rows: given }).rows
      assert.equal(copy.constructor, Kind)
      assert.equal(copy.byteLength, given.byteLength)
      assert.equal(copy.buffer.byteLength, copy.byteLength)
      assert.notDeepEqual(copy, given)
    }
  })

  test('can be read as before: JSON in a text or in bytes, letters of two and three bytes', () => {
    const text = JSON.stringify({ name: 'Zoë', rows: ['漢字', '😀', 5] })
    const [string, bytes] = redactor()([text, Buffer.from(text)])
    for (const read of [string, bytes.toString()]) assert.equal(JSON.parse(read)[Object.keys(JSON.parse(read))[1]].length, 3)
    assert.equal(bytes.length, Buffer.byteLength(text))
  }) // prettier-ignore

  test('have other long numbers, about as large and the same for the same', () => {
    const [one, two, big] = redactor()([4111111111111111, 4111111111111111, 49301234567n])
    assert.equal(one, two)
    assert.notEqual(one, 4111111111111111)
    assert.match(String(one), /^41\d{14}$/)
    assert.match(String(big), /^49\d{9}$/)
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

  test('have other short numbers under the names of codes, of one or several, in several languages', () => {
    const named = createRedactor({ isRaw: false, isName: () => true, isChoice: () => false })
    const names = ['pins', 'otps', 'cvcs', 'cvvs', 'tans', 'userPins', 'mpin', 'vpin', 'smsCode', 'пин', 'senhas', '2fa', 'パスワード', '비밀번호', 'รหัสผ่าน']
    for (const name of names) assert.notDeepEqual(named({ [name]: [4711] }), { [name]: [4711] }, name)
    const others = { spin: 4711, pinned: 4711, code: 4711, postcode: 4711, passes: 4711, opens: 4711, tanks: 4711, compass_at: 4711 }
    assert.deepEqual(named(others), others)
  }) // prettier-ignore
})

describe('raw arguments', () => {
  const raw = redactor(true)
  const password = 'Hunter2xq'
  const key = 'sk_live_4eC39HqLyjWDarjtT1zdp7dc'
  const held = {
    'in the message of an error': new Error(`cannot reach postgres://bob:${password}@db.example`),
    'after a name in the message of an error': new Error(`refused: password=${password}`),
    'as the name of a field': { [key]: 1 },
    'as the key of a map': new Map([[key, 1]]),
    'in raw headers': ['Host', 'x', 'Accept', 'y', 'X-Api-Key', password, 'Cookie', `sid=${password}`],
    'in a setting with more fields': { key: 'password', val: password, a: 1, b: 2, c: 3 },
    'in a query': `https://api.example/v1?api_key=${password}&x=1`,
    'in a fragment': `https://host/#access_token=${password}`,
    'in a form': `user=bob&password=${password}`,
    'among settings': `A=1\nDB_PASSWORD=${password}\nB=2`,
    'in a line': `user: bob\npassword: ${password}\n`,
    'in an option': `run --db-password=${password} --port 80`,
    'in JSON': JSON.stringify({ user: 'bob', password }),
    'in JSON under a list': JSON.stringify({ credentials: [{ user: 'bob', value: password }] }),
    'in JSON within JSON': JSON.stringify(JSON.stringify({ password })),
    'in JSON within a text': `got ${JSON.stringify({ password })} from there`,
    'in JSON that was escaped within a text': `got ${JSON.stringify(JSON.stringify({ password }))}`,
    'in an element': `<user>bob</user><password>${password}</password>`,
    'in a buffer': Buffer.from(JSON.stringify({ user: 'bob', password })),
    'in an array of bytes': Uint8Array.from(Buffer.from(`password=${password}`)),
    'in memory': Uint8Array.from(Buffer.from(`password=${password}`)).buffer,
  }
  for (const [place, given] of Object.entries(held))
    test(`hold no secret ${place}`, () => {
      const [text] = raw([given])
      const shown = Buffer.from(serialize(text)).toString('latin1') + String(text?.message)
      assert.ok(!shown.includes(password) && !shown.includes(key), shown)
    })

  test('are as they were but for the secret', () => {
    assert.match(raw(held['in a query']), /^https:\/\/api\.example\/v1\?api_key=[A-Z][a-z]{5}\d[a-z]{2}&x=1$/)
    assert.match(raw(held['among settings']), /^A=1\nDB_PASSWORD=\w{9}\nB=2$/)
    assert.deepEqual({ ...JSON.parse(raw(held['in JSON'])), password: '' }, { user: 'bob', password: '' })
    assert.deepEqual({ ...JSON.parse(raw(held['in a buffer'])), password: '' }, { user: 'bob', password: '' })
    assert.deepEqual(raw(held['in raw headers']).slice(0, 5), ['Host', 'x', 'Accept', 'y', 'X-Api-Key'])
    const indented = JSON.stringify({ user: 'bob', password }, null, 2)
    assert.equal(raw(indented).length, indented.length)
  }) // prettier-ignore

  test('may be lists with holes', () => {
    assert.deepEqual(raw(Object.assign([], { 1: 'a', 3: 'b' })), [undefined, 'a', undefined, 'b'])
  })

  test('that hold none are not touched', () => {
    const code = 'const token = next(); if (pass=== 2) return { session: open(id), key: a.key }\ninterface A { password: string; }\n'
    const values = [
      'https://host/list?page=2&sort=name&max_tokens=4096', 'pass: 71', '{"usage":[1,2]}', '{ "no": json', '"quoted"', code, 'tan=1.5574', '<p class="token">text</p>',
      'The session opens at 10: bring a token.', new Error('cannot read column 7'), ['id', 'name', 'email', 'total', 'created', 'updated'],
      ['name', 'password', 'rows', 'number', 'id', 'other'], { name: 'Ada', value: 5, a: 1, b: 2, c: 3 }, Buffer.from([0xff, 0xfe, 1, 2]), new Uint16Array([1, 2, 700]), /password=(\w+)/,
    ] // prettier-ignore
    for (const value of values) {
      const copy = raw(value)
      assert.deepEqual(copy.message ?? copy, value.message ?? value)
    }
  }) // prettier-ignore

  test('of many megabytes take no time that grows faster than they do', () => {
    for (const part of ['<a ', 'a="', 'a=\\"b=\\\\"', 'a-', 'a: ', 'password', '{"a":']) {
      const text = part.repeat(1_000_000 / part.length)
      assert.equal(raw(text), text)
    }
  })
})

// Secrets that an app is given: none is in what doctor writes and prints, in whatever form.
import assert from 'node:assert/strict'
import { randomBytes, randomInt } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { namePlants, numberPlants, textPlants } from '../fixtures/doctor/secrets/plants.mjs'
import { app, doctorCommand } from '../helpers/doctor-command.js'
import { findSecrets } from '../helpers/find-secrets.js'

const { cwd, doctor } = doctorCommand()
const plantsFile = join(cwd, 'plants.json')
const env = { PLANTS_FILE: plantsFile }

const word = () =>
  `Kx${randomBytes(9)
    .toString('hex')
    .replace(/\d/g, (digit) => 'QRSTUVWXYZ'[digit])}7q`
const digits = () => String(randomInt(3, 9)) + Array.from({ length: 11 }, () => randomInt(1, 10)).join('')
const eachOf = (plants, make) => Object.fromEntries(Object.keys(plants).map((name) => [name, make()]))

/** Secrets for all places, and as what they may be found. */
function plant() {
  const texts = eachOf(textPlants, word)
  const numbers = eachOf(numberPlants, digits)
  const names = Object.fromEntries(namePlants.map((name) => [name, word()]))
  writeFileSync(plantsFile, JSON.stringify({ texts, numbers, names }))
  const decimals = [
    `${numbers.salary.slice(0, 5)}.${numbers.salary.slice(5, 7)}`,
    `${numbers.latitude.slice(0, 2)}.${numbers.latitude.slice(2, 8)}`,
    `${numbers.floats.slice(0, 2)}.${numbers.floats.slice(2)}`,
  ]
  const whole = [numbers.pwd.slice(0, 6), numbers.otp.slice(0, 6), numbers.phone, numbers.account, numbers.longs] // prettier-ignore
  return { texts, names: Object.values(names), all: [...Object.values(texts), ...decimals, ...whole] }
}

describe('threadwise doctor, of an app that is given secrets in more than fifty places', () => {
  test('the places are as many as that', () => {
    assert.ok(Object.keys({ ...textPlants, ...numberPlants }).length + namePlants.length >= 70)
  })

  for (const flags of [[], ['--raw']])
    test(`writes and prints none of them ${flags.join()}`, async () => {
      const { all, texts } = plant()
      const line = Array.from({ length: 5 }, word)
      const { stdout, stderr, code } = await doctor(
        [
          ...['--path', `/?token=${line[0]}`, '--path', `/reset/${line[1]}9f`, '--rate', '16', ...flags],
          ...['--header', `Authorization: Bearer ${line[2]}`, '--html', 'page.html', '--json', 'result.json'],
          ...['--', 'node', app('secrets/app.mjs'), `--api-key=${line[3]}`, '--token', line[4]],
        ],
        { env: { ...env, CI: '' } },
      )
      assert.equal(code, 0, stderr)
      const { functions, files } = JSON.parse(readFileSync(join(cwd, 'result.json'), 'utf8'))
      const verdicts = functions.map(({ name, verdict }) => `${name} ${verdict}`)
      assert.ok(verdicts.includes('check move') && verdicts.includes('plain move'), verdicts.join())
      assert.ok(files.some((file) => file.endsWith('.inputs.txt')) && files.some((file) => file.endsWith('.inputs.json'))) // prettier-ignore
      const isHidden = (file) => (flags.length === 0 ? all : file.includes('check.inputs') ? [texts.mapValue, texts.address] : []) // prettier-ignore
      const written = ['page.html', 'result.json', ...readdirSync(join(cwd, '.threadwise')).map((name) => join('.threadwise', name))] // prettier-ignore
      for (const file of written)
        assert.deepEqual(findSecrets(readFileSync(join(cwd, file)), [...isHidden(file), ...line]), [], file)
      assert.deepEqual(findSecrets(Buffer.from(stdout + stderr), [...all, ...line]), [])
      rmSync(join(cwd, '.threadwise'), { recursive: true })
    })

  test('writes and prints none that the app has made a name of, in what it reaches, throws and runs', async () => {
    const { names } = plant()
    const { stdout, stderr, code } = await doctor(
      ['--path', '/names', '--rate', '8', '--html', 'page.html', '--json', 'result.json', '--', 'node', app('secrets/app.mjs')], // prettier-ignore
      { env },
    )
    assert.equal(code, 0, stderr)
    const { functions } = JSON.parse(readFileSync(join(cwd, 'result.json'), 'utf8'))
    const reasonsOf = (wanted) => functions.find(({ name }) => name === wanted)?.reasons.join('; ')
    assert.match(reasonsOf('readSettings'), /`settings\.byKey\[\.\.\.\]`/)
    assert.match(reasonsOf('readAccounts'), /`accounts\.byKey(?:\[\.\.\.\])+`/)
    assert.match(reasonsOf('takeInstance'), /argument 1 is an instance of a class/)
    const folder = join(cwd, '.threadwise')
    const written = ['page.html', 'result.json', ...(existsSync(folder) ? readdirSync(folder).map((name) => join('.threadwise', name)) : [])] // prettier-ignore
    for (const file of written) assert.deepEqual(findSecrets(readFileSync(join(cwd, file)), names), [], file)
    assert.deepEqual(findSecrets(Buffer.from(stdout + stderr), names), [])
    rmSync(folder, { recursive: true, force: true })
  })

  test('quotes none of them of an app that crashes', async () => {
    const { all } = plant()
    const { stdout, stderr } = await doctor(['--path', '/crash', '--rate', '5', '--', 'node', app('secrets/app.mjs')], { env }) // prettier-ignore
    assert.match(stdout, /Error: no answer of amqp:\/\//)
    assert.deepEqual(findSecrets(Buffer.from(stdout + stderr), all), [])
  })
})

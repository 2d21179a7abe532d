// threadwise doctor on functions that throw errors of classes: what it says of them, and that the answers stay when the functions are moved.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { installApp, startApp } from '../helpers/doctor-app.js'
import { doctorCommand } from '../helpers/doctor-command.js'

const { cwd, resultOf } = doctorCommand()
const names = ['reserve', 'quota', 'retire', 'lock', 'attempt']

describe('threadwise doctor, of functions that throw', () => {
  let rows
  before(async () => {
    installApp('errors', cwd)
    const paths = names.flatMap((name) => ['--path', `/${name}?count=2`, '--path', `/${name}?count=11`])
    const { result } = await resultOf([...paths, '--rate', '40', 'app.mjs'])
    rows = new Map(names.map((name) => [name, result.functions.find((row) => row.name === name)]))
  })

  test('names the class of each, at the line of the user that declares it', () => {
    const errors = (name) =>
      rows.get(name).conditions.filter(({ kind }) => kind === 'error-class').map(({ text, file, line }) => [text, `${file}:${line}`]) // prettier-ignore
    const lineOf = (file, text) => `${file}:${readFileSync(join(cwd, file), 'utf8').split('\n').findIndex((line) => line.includes(text)) + 1}` // prettier-ignore
    const registered = (name) => `the app calls registerClass(${name}) beside the class, as the task module does: then its callers get an error of ${name}` // prettier-ignore
    for (const name of names)
      assert.equal(rows.get(name)?.verdict, 'move', `${name}: ${rows.get(name)?.reasons}`)
    assert.deepEqual(errors('reserve'), [
      [registered('OutOfStock'), lineOf('errors.mjs', 'class OutOfStock')],
    ])
    assert.deepEqual(errors('quota'), [[registered('OverQuota'), lineOf('work.mjs', 'class OverQuota')]])
    assert.deepEqual(errors('retire'), [[registered('Gone'), lineOf('errors.mjs', 'class Gone')]])
    const [[text, place]] = errors('lock')
    assert.match(text, /error of Locked .*toData and fromData.*private fields/)
    assert.equal(place, lineOf('work.mjs', 'class Locked'))
    assert.deepEqual(errors('attempt'), [])
  })

  test('registers the classes, and takes one from its file where that does nothing else', () => {
    const module = readFileSync(join(cwd, rows.get('reserve').task.module), 'utf8')
    assert.match(module, /import \{ OutOfStock \} from '\.\.\/errors\.mjs'/)
    assert.match(module, /^registerClass\(OutOfStock\)$/m)
    assert.doesNotMatch(module, /class OutOfStock/)
    assert.match(
      readFileSync(join(cwd, rows.get('quota').task.module), 'utf8'),
      /^registerClass\(OverQuota\)$/m,
    )
  })

  test('moves them so that each answer stays what it was', async (t) => {
    const moved = Object.fromEntries(names.map((name) => [name, `./${rows.get(name).task.module}`]))
    const before = await startApp(t, ['app.mjs'], { cwd })
    const after = await startApp(t, ['app.mjs'], { cwd, env: { MOVED: JSON.stringify(moved) } })
    const ask = async (origin, path) => {
      const response = await fetch(`${origin}${path}`)
      return [path, response.status, await response.text()]
    }
    const status = { reserve: 409, quota: 402, retire: 410, lock: 423, attempt: 200 }
    for (const name of names)
      for (const count of [2, 11]) {
        const path = `/${name}?count=${count}`
        const answer = await ask(after, path)
        assert.deepEqual(answer, await ask(before, path))
        assert.equal(answer[1], count === 2 ? 200 : status[name])
      }
  })
})

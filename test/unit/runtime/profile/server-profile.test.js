// What is kept of the measurement of a server, and what serve -i auto takes from it.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { instancesFor } from '../../../../build/cli/serving/run-serve.js'
import { findServerChoice, saveServerProfile } from '../../../../build/runtime/profile/server-profile.js'
import { saveProfile } from '../../../../build/runtime/profile/profile.js'
import { temporaryFolder } from '../../../helpers/files.js'

const entry = (cpus, instances) => ({ cpus, instances, sentence: `Run ${instances}.`, measuredAt: 'now', node: 'v20' }) // prettier-ignore

function project(t) {
  const folder = temporaryFolder(t)
  writeFileSync(join(folder, 'package.json'), '{}')
  const server = join(folder, 'server.js')
  writeFileSync(server, '')
  return { folder, server, url: pathToFileURL(server).href, profile: join(folder, 'threadwise.json') }
}

describe('the choices for a server', () => {
  test('are found at the nearest limit, and cut down to the CPUs that are there', (t) => {
    const { url, profile } = project(t)
    assert.equal(saveServerProfile(url, [entry(0.6, 1), entry(2, 2), entry(8, 8)]), profile)
    const chosen = (cpus) => findServerChoice(url, cpus).instances
    assert.deepEqual([0.5, 1, 2, 3, 6, 8, 16].map(chosen), [1, 1, 2, 2, 6, 8, 8])
  })

  test('stand beside those for tasks, whichever is written last', (t) => {
    const { folder, url, profile } = project(t)
    const module = pathToFileURL(join(folder, 'tasks.js')).href
    const choice = { task: 'a', cpus: 2, executor: 'threads', size: 2, sentence: '', measuredAt: '', node: '' } // prettier-ignore
    saveProfile(module, [choice])
    saveServerProfile(url, [entry(2, 2)])
    saveProfile(module, [{ ...choice, size: 4 }])
    const { modules, servers } = JSON.parse(readFileSync(profile, 'utf8'))
    assert.equal(modules['tasks.js'].a[0].size, 4)
    assert.equal(servers['server.js'][0].instances, 2)
  })

  test('of another server are none', (t) => {
    const { folder, url } = project(t)
    saveServerProfile(url, [entry(2, 2)])
    assert.equal(findServerChoice(pathToFileURL(join(folder, 'other.js')).href, 2), null)
  })

  const broken = [
    [[], /its servers must map files to choices/],
    [{ 'server.js': [] }, /the choices for server\.js are malformed/],
    [{ 'server.js': [{ cpus: 2, instances: 1.5, sentence: '' }] }, /the choices for server\.js are malformed/], // prettier-ignore
  ]
  for (const [servers, pattern] of broken) {
    test(`that are ${JSON.stringify(servers)} are an error`, (t) => {
      const { url, profile } = project(t)
      writeFileSync(profile, JSON.stringify({ version: 1, modules: {}, servers }))
      assert.throws(() => findServerChoice(url, 2), { code: 'TW_ERR_PROFILE_INVALID', message: pattern })
    })
  }
})

describe('serve -i auto', () => {
  test('takes the number that was measured, and says from where', (t) => {
    const { server, url, profile } = project(t)
    saveServerProfile(url, [entry(0.01, 1)])
    const { instances, note } = instancesFor(server, 'auto')
    assert.equal(instances, 1)
    assert.match(note, /^auto: 1 instance at .*, nearest measured limit 0\.01 CPU, by .*: Run 1\.$/)
    assert.ok(note.includes(profile))
  })

  test('takes no more and no fewer than --min and --max allow, and says so', (t) => {
    const { THREADWISE_CPUS: before } = process.env
    t.after(() =>
      before === undefined ? delete process.env.THREADWISE_CPUS : (process.env.THREADWISE_CPUS = before),
    )
    process.env.THREADWISE_CPUS = '4'
    const { server, url } = project(t)
    saveServerProfile(url, [entry(4, 4)])
    const { instances, note } = instancesFor(server, 'auto', { max: 2 })
    assert.equal(instances, 2)
    assert.match(note, /^auto: 2 instances at 4 CPUs, by --min and --max instead of 4, by /)
    assert.equal(instancesFor(server, 'auto', { min: 6, max: 8 }).instances, 6)
    assert.doesNotMatch(instancesFor(server, 'auto', { max: 'max' }).note, /instead of/)
    assert.throws(() => instancesFor(server, 'auto', { max: 0 }), { code: 'TW_ERR_INVALID_OPTION' })
  })

  test('also takes more than there are CPUs where that was measured there', (t) => {
    const { url } = project(t)
    saveServerProfile(url, [entry(1, 2)])
    assert.deepEqual([0.9, 1, 1.2].map((cpus) => findServerChoice(url, cpus).instances), [1, 2, 2]) // prettier-ignore
  })

  test('uses max where nothing was measured, and says how to measure', (t) => {
    const { server } = project(t)
    const { instances, note } = instancesFor(server, 'auto')
    assert.equal(instances, 'max')
    assert.match(note, /^auto: no measurement of .* was found, so max is used; "threadwise measure --server /)
  })

  test('does not hide a broken profile', (t) => {
    const { server, profile } = project(t)
    writeFileSync(profile, '{')
    assert.throws(() => instancesFor(server, 'auto'), { code: 'TW_ERR_PROFILE_INVALID' })
  })

  test('leaves every other number alone', () => {
    for (const asked of [3, 'max', undefined])
      assert.deepEqual(instancesFor('server.js', asked), { instances: asked, note: null })
  })
})

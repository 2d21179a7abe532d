// What runs on the machines that build and publish the package.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

const folder = new URL('../../.github/workflows/', import.meta.url)
const workflows = readdirSync(folder).map((name) => [name, readFileSync(new URL(name, folder), 'utf8')])

for (const [name, text] of workflows)
  test(`${name} names each action by the hash of a commit: a tag may be moved`, () => {
    const actions = [...text.matchAll(/\buses: *(.*)/g)].map(([, action]) => action)
    assert.ok(actions.length > 0)
    assert.deepEqual(actions.filter((action) => !/^[\w./-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/.test(action)), []) // prettier-ignore
  })

test('the job that may publish runs no code but that of actions and npm', () => {
  const [, text] = workflows.find(([name]) => name === 'release.yml')
  const jobs = text.slice(text.indexOf('\njobs:')).split(/^ {2}(?=\w+:$)/m)
  const trusted = jobs.filter((job) => job.includes('id-token: write'))
  assert.equal(trusted.length, 1)
  const runs = [...trusted[0].matchAll(/\brun: *(.*)/g)].map(([, command]) => command)
  assert.deepEqual(runs, ['npm publish ./*.tgz --provenance --access public --ignore-scripts'])
  assert.doesNotMatch(trusted[0], /checkout/)
})

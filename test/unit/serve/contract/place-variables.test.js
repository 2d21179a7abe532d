import assert from 'node:assert/strict'
import { test } from 'node:test'
import { START_VARIABLE, variablesAt } from '../../../../build/serve/contract/place-variables.js'

const options = { instanceVariable: null, incrementVariable: null, env: {}, startMark: '7-1-0' }

test('an instance has the mark of its own start, also where the environment has that of another one', () => {
  assert.deepEqual(variablesAt(0, options), { [START_VARIABLE]: '7-1-0' })
  for (const more of [{}, { incrementVariable: 'PORT', env: { PORT: '3000' } }]) {
    const env = { ...more.env, [START_VARIABLE]: '6-1-0' } // of a service that runs within another one
    assert.equal(variablesAt(0, { ...options, ...more, env })[START_VARIABLE], '7-1-0')
  }
})

test('the place is in its variable, unless the environment says another, and in the number that grows', () => {
  const named = { ...options, instanceVariable: 'NODE_APP_INSTANCE' }
  assert.equal(variablesAt(2, named).NODE_APP_INSTANCE, '2')
  assert.equal(variablesAt(2, { ...named, env: { NODE_APP_INSTANCE: '9' } }).NODE_APP_INSTANCE, '9')
  assert.equal(variablesAt(2, { ...options, incrementVariable: 'PORT', env: { PORT: '3000' } }).PORT, '3002')
})

// Configurations in YAML: what PM2 reads of them, too.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseYaml } from '../../../../build/serve/apps/parse-yaml.js'

test('merge keys take what is at an anchor, and what stands there itself is preferred', () => {
  const text = `
apps:
  - &base
    name: one
    instances: 1
    env: &env { PORT: 1, DB: x }
  - <<: *base
    name: two
    env: { PORT: 2, <<: [*env, { DB: y, LOG: z }] }
`
  assert.deepEqual(parseYaml(text), {
    apps: [
      { name: 'one', instances: 1, env: { PORT: 1, DB: 'x' } },
      { name: 'two', instances: 1, env: { PORT: 2, DB: 'x', LOG: 'z' } },
    ],
  })
})

test('a merge of what has no names is a mistake', () => {
  assert.throws(() => parseYaml('env:\n  <<: 1'), /Merge sources must be maps/)
})

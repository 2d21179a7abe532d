import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { livingWith } from '../../../helpers/processes.js'

const program = fileURLToPath(new URL('../../../fixtures/programs/stopped-group.js', import.meta.url))
const skip = existsSync('/proc/self/environ') ? false : 'looks for processes in /proc'

async function startMarked(marker, ...args) {
  const child = spawn(process.execPath, [program, ...args], {
    env: { ...process.env, [marker]: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  return child
}

describe('a stopped group', { skip }, () => {
  for (const signal of ['SIGKILL', 'SIGTERM', 'SIGINT']) {
    test(`ends with the program that started it, by ${signal}`, async () => {
      const marker = `TW_GROUP_${process.pid}_${signal}`
      const child = await startMarked(marker)
      child.kill(signal)
      assert.deepEqual(await livingWith(`${marker}=1`), [])
    })
  }

  test('leaves no guard behind when it ends before that program', async () => {
    const marker = `TW_GROUP_${process.pid}_before`
    const child = await startMarked(marker, 'kill')
    await onlyChildIsLeft(child, marker)
    child.kill('SIGKILL')
  })
})

async function onlyChildIsLeft(child, marker) {
  let living
  for (let tries = 0; tries < 100; tries++) {
    living = await livingWith(`${marker}=1`, 0)
    if (living.length === 1 && living[0] === child.pid) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  assert.deepEqual(living, [child.pid])
}

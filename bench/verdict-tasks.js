// Tasks whose right answer is known beforehand.
import { mkdtempSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const nanoseconds = (a, b) => a + b

/** About 5 ms of CPU: a chain of divisions, whose speed hardly depends on the optimising compiler. */
export function compute(divisions) {
  let value = 0.5
  for (let i = 0; i < divisions; i++) value = 1 / (value + 1.0001)
  return value
}

export const timer = (ms) => new Promise((resolve) => setTimeout(resolve, ms, ms))

/** Megabytes of arguments for little work. */
export function firstByte(bytes) {
  let sum = 0
  for (let i = 0; i < bytes.length; i += 64) sum += bytes[i]
  return sum
}

let path
export async function readText() {
  if (!path) {
    path = join(mkdtempSync(join(tmpdir(), 'threadwise-bench-')), 'text.txt')
    writeFileSync(path, 'x'.repeat(19 * 1024))
  }
  return (await readFile(path, 'utf8')).length
}

const hoard = []
export function leak(bytes) {
  hoard.push(new Array(bytes / 8).fill(hoard.length))
  return hoard.length
}

let calls = 0
export function throwOnceInTen(divisions) {
  if (++calls % 10 === 0) throw new Error('one in ten')
  return compute(divisions)
}

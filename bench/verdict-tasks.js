// Tasks whose right answer is known beforehand.
import { mkdtempSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pbkdf2 as pbkdf2WithCallback } from 'node:crypto'
import { promisify } from 'node:util'

export const nanoseconds = (a, b) => a + b

/** A chain of divisions, whose speed hardly depends on the optimising compiler: 1,200,000 are about 5 ms. */
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

const pbkdf2 = promisify(pbkdf2WithCallback)
/** Milliseconds in libuv's pool. */
export const hash = async (iterations) => (await pbkdf2('secret', 'salt', iterations, 32, 'sha256')).length

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

/** Objects that die young, for some milliseconds. */
export function allocate(count) {
  let sum = 0
  for (let i = 0; i < count; i++) {
    const pairs = Array.from({ length: 8 }, (_, k) => ({ key: `k${k}`, value: i + k }))
    sum += JSON.parse(JSON.stringify(pairs)).length
  }
  return sum
}

const memory = new Float64Array(4 * 1024 * 1024)
/** Walks through 32 MB at random: the memory is what it waits for. */
export function walk(steps) {
  let at = 1
  let sum = 0
  for (let i = 0; i < steps; i++) {
    at = (Math.imul(at, 1664525) + 1013904223) >>> 0
    sum += memory[at & (memory.length - 1)]
  }
  return sum
}

let turn = 0
/** Every fourth call is ten times as long. */
export function bimodal(divisions) {
  return compute(++turn % 4 === 0 ? 10 * divisions : divisions)
}

const created = performance.now()
/** Twice as slow for the first two seconds of its module. */
export function warming(divisions) {
  return compute(performance.now() - created < 2000 ? 2 * divisions : divisions)
}

/** Changes what it is given. */
export const sortInPlace = (numbers) => numbers.sort((a, b) => a - b).length

/** A generator: its work is done only while somebody asks for the pieces. */
export function* pieces(count, divisions) {
  for (let i = 0; i < count; i++) yield compute(divisions)
}

// Built-in functions that a worker's own code needs, and that its tasks can replace. One that works as well, such as that of a tracer or of a
// fake clock, is fine. With one that does not, the worker could not answer its calls any more: it ends, and they settle.

import { copyValue } from '../wire/codec/packet.js'

const NAMES: Readonly<Record<string, readonly (string | symbol)[]>> = {
  'Array.prototype': [
    ...['push', 'shift', 'unshift', 'slice', 'map', 'filter', 'some', 'includes', 'join', 'at'],
    Symbol.iterator,
  ],
  Array: ['isArray', 'from'],
  'Map.prototype': ['get', 'set', 'has', 'delete', 'values', Symbol.iterator],
  'Set.prototype': ['add', 'has', 'delete', 'values', Symbol.iterator],
  Promise: ['resolve'],
  'Promise.prototype': ['then'],
  'Uint8Array.prototype': ['set', 'subarray'],
  'Buffer.prototype': ['copy', 'utf8Write', 'latin1Write', 'subarray', 'toString', 'writeUInt32LE'],
  Buffer: ['from', 'allocUnsafe', 'allocUnsafeSlow'],
  'DataView.prototype': ['setUint32', 'setFloat64', 'setUint16', 'getUint32', 'getFloat64', 'getUint16'],
  Math: ['min', 'max', 'floor', 'ceil'],
  Object: ['keys', 'hasOwn', 'getPrototypeOf', 'getOwnPropertyDescriptor', 'assign'],
  Reflect: ['apply', 'get', 'ownKeys'],
  Number: ['isInteger'],
}

interface BuiltIn {
  readonly name: string
  readonly holder: Readonly<Record<string | symbol, unknown>>
  readonly key: string | symbol
  value: unknown
}

const BUILT_INS: readonly BuiltIn[] = Object.entries(NAMES).flatMap(([path, keys]) => {
  const holder = path.split('.').reduce<object>((at, part) => Reflect.get(at, part) as object, globalThis)
  return keys.map((key) => ({
    name: `${path}.${String(key)}`,
    holder: holder as BuiltIn['holder'],
    key,
    value: Reflect.get(holder, key) as unknown,
  }))
})

/** The name of a function that was replaced by one that does not work; undefined: there is none. To be asked when calls have run. */
export function findBroken(): string | undefined {
  let changed: BuiltIn | undefined
  // By index: what goes through a list may be what was replaced.
  for (let i = 0; i < BUILT_INS.length; i++) {
    const builtIn = BUILT_INS[i]!
    if (builtIn.holder[builtIn.key] === builtIn.value) continue
    builtIn.value = builtIn.holder[builtIn.key]
    changed ??= builtIn
  }
  return changed === undefined || doAllWork() ? undefined : changed.name
}

/** All together: a value on its way through the codec, which needs most of them, and what else a worker does. */
function doAllWork(): boolean {
  try {
    return (
      doCollectionsWork() && doesCodecWork() && typeof Promise.resolve().then(() => {}).then === 'function'
    )
  } catch {
    return false
  }
}

function doCollectionsWork(): boolean {
  const list = [1, 2]
  list.push(3)
  list.unshift(0)
  const map = new Map([[1, list]])
  const isDeleted = map.get(1) === list && map.delete(1) && !map.has(1)
  const [first] = list.map((n) => n + 1).filter((n) => n > 1)
  return isDeleted && first === 2 && list.shift() === 0 && list.length === 3 && Math.min(2, 1) === 1
}

function doesCodecWork(): boolean {
  const bytes = new Uint8Array([1, 2])
  const [number, text, wide, nested, copied] = copyValue([0.5, 'text', 'ü€', { a: new Map([[1, new Set([2])]]) }, bytes]) as [number, string, string, { a: Map<number, Set<number>> }, Uint8Array] // prettier-ignore
  const areTexts = number === 0.5 && text === 'text' && wide === 'ü€'
  return areTexts && nested.a.get(1)!.has(2) && copied[1] === 2
}

export function brokenError(name: string): Error {
  return new Error(`a task has replaced ${name} by something that does not work, and the worker needs it`)
}

/** What a worker shares with others by these must not be damaged by one of its tasks: there they are as they are. */
export function keepAtomics(): void {
  const fixed = { writable: false, configurable: false }
  for (const name of Object.getOwnPropertyNames(Atomics)) Object.defineProperty(Atomics, name, fixed)
  Object.defineProperty(globalThis, 'Atomics', fixed)
}

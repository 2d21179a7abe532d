// Built-in functions that a worker's own code needs, and that its tasks can replace. One that works as well, such as that of a tracer or of a
// fake clock, is fine. With one that does not, the worker could not answer its calls any more: it ends, and they settle.

import { copyValue } from '../wire/codec/packet.js'

type Holder = Readonly<Record<string | symbol, unknown>>

const list = Array.prototype as unknown as Holder
const map = Map.prototype as unknown as Holder
const set = Set.prototype as unknown as Holder
const promise = Promise.prototype as unknown as Holder
const bytes = Uint8Array.prototype as unknown as Holder
const buffer = Buffer.prototype as unknown as Holder
const view = DataView.prototype as unknown as Holder

// As they were when this worker began.
const lists = pick(
  list,
  'push',
  'shift',
  'unshift',
  'slice',
  'map',
  'filter',
  'some',
  'includes',
  'join',
  'at',
  Symbol.iterator,
)
const arrays = pick(Array, 'isArray', 'from')
const maps = pick(map, 'get', 'set', 'has', 'delete', 'values', Symbol.iterator)
const sets = pick(set, 'add', 'has', 'delete', 'values', Symbol.iterator)
const promises = pick(Promise, 'resolve')
const settled = pick(promise, 'then')
const memory = pick(bytes, 'set', 'subarray')
const buffers = pick(buffer, 'copy', 'utf8Write', 'latin1Write', 'subarray', 'toString', 'writeUInt32LE')
const made = pick(Buffer, 'from', 'allocUnsafe', 'allocUnsafeSlow')
const views = pick(view, 'setUint32', 'setFloat64', 'setUint16', 'getUint32', 'getFloat64', 'getUint16')
const math = pick(Math, 'min', 'max', 'floor', 'ceil')
const objects = pick(Object, 'keys', 'hasOwn', 'getPrototypeOf', 'getOwnPropertyDescriptor', 'assign')
const reflect = pick(Reflect, 'apply', 'get', 'ownKeys')
const numbers = pick(Number, 'isInteger')

/** Spelled out, since V8 takes it for a constant then, until one of them changes. A walk over a table takes several times as long, at each rest. */
function areCollectionsAsBefore(): boolean {
  return (
    list.push === lists.push &&
    list.shift === lists.shift &&
    list.unshift === lists.unshift &&
    list.slice === lists.slice &&
    list.map === lists.map &&
    list.filter === lists.filter &&
    list.some === lists.some &&
    list.includes === lists.includes &&
    list.join === lists.join &&
    list.at === lists.at &&
    list[Symbol.iterator] === lists[Symbol.iterator] &&
    Array.isArray === arrays.isArray &&
    Array.from === arrays.from &&
    map.get === maps.get &&
    map.set === maps.set &&
    map.has === maps.has &&
    map.delete === maps.delete &&
    map.values === maps.values &&
    map[Symbol.iterator] === maps[Symbol.iterator] &&
    set.add === sets.add &&
    set.has === sets.has &&
    set.delete === sets.delete &&
    set.values === sets.values &&
    set[Symbol.iterator] === sets[Symbol.iterator] &&
    Promise.resolve === promises.resolve &&
    promise.then === settled.then
  )
}

function areOthersAsBefore(): boolean {
  return (
    bytes.set === memory.set &&
    bytes.subarray === memory.subarray &&
    buffer.copy === buffers.copy &&
    buffer.utf8Write === buffers.utf8Write &&
    buffer.latin1Write === buffers.latin1Write &&
    buffer.subarray === buffers.subarray &&
    buffer.toString === buffers.toString &&
    buffer.writeUInt32LE === buffers.writeUInt32LE &&
    Buffer.from === made.from &&
    Buffer.allocUnsafe === made.allocUnsafe &&
    Buffer.allocUnsafeSlow === made.allocUnsafeSlow &&
    view.setUint32 === views.setUint32 &&
    view.setFloat64 === views.setFloat64 &&
    view.setUint16 === views.setUint16 &&
    view.getUint32 === views.getUint32 &&
    view.getFloat64 === views.getFloat64 &&
    view.getUint16 === views.getUint16 &&
    Math.min === math.min &&
    Math.max === math.max &&
    Math.floor === math.floor &&
    Math.ceil === math.ceil &&
    Object.keys === objects.keys &&
    Object.hasOwn === objects.hasOwn &&
    Object.getPrototypeOf === objects.getPrototypeOf &&
    Object.getOwnPropertyDescriptor === objects.getOwnPropertyDescriptor &&
    Object.assign === objects.assign &&
    Reflect.apply === reflect.apply &&
    Reflect.get === reflect.get &&
    Reflect.ownKeys === reflect.ownKeys &&
    Number.isInteger === numbers.isInteger
  )
}

function pick(holder: object, ...keys: readonly (string | symbol)[]): Holder {
  return Object.fromEntries<unknown>(
    keys.map((key) => [key, Reflect.get<object, string | symbol>(holder, key)]),
  )
}

interface BuiltIn {
  readonly name: string
  readonly holder: Holder
  readonly key: string | symbol
  value: unknown
}

export const BUILT_INS: readonly BuiltIn[] = (
  [
    ['Array.prototype', list, lists],
    ['Array', Array, arrays],
    ['Map.prototype', map, maps],
    ['Set.prototype', set, sets],
    ['Promise', Promise, promises],
    ['Promise.prototype', promise, settled],
    ['Uint8Array.prototype', bytes, memory],
    ['Buffer.prototype', buffer, buffers],
    ['Buffer', Buffer, made],
    ['DataView.prototype', view, views],
    ['Math', Math, math],
    ['Object', Object, objects],
    ['Reflect', Reflect, reflect],
    ['Number', Number, numbers],
  ] as const
).flatMap(([path, holder, before]) =>
  Reflect.ownKeys(before).map((key) => ({
    name: `${path}.${String(key)}`,
    holder: holder as Holder,
    key,
    value: before[key],
  })),
)

/** The name of a function that was replaced by one that does not work; undefined: there is none. To be asked when calls have run. */
export function findBroken(): string | undefined {
  if (areCollectionsAsBefore() && areOthersAsBefore()) return undefined
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
  const [number, text, wide, nested, copied] = copyValue([
    0.5,
    'text',
    'ü€',
    { a: new Map([[1, new Set([2])]]) },
    bytes,
  ]) as [number, string, string, { a: Map<number, Set<number>> }, Uint8Array]
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

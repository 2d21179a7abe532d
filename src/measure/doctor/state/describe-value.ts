// What a value is: a part of Node.js, or something with an owner and a kind that is equal for equal things.

import { types } from 'node:util'
import type { InsideOf } from './inside-of.js'
import { isLongTable } from './parts-of.js'
import { digest, digestBytes, primitiveRef } from './primitive-ref.js'
import { constructorOf, isNative, ownValue, textOf } from './properties.js'
import { MODULE } from './state-graph.js'

/** Functions of Node.js and of the language, and what Node.js makes of its classes: sockets, timers, streams. */
export function nodeName(value: object, insideOf: InsideOf): string | undefined {
  if (typeof value === 'function') {
    if (!isNative(value)) return isOfNodeOrOurs(insideOf(value).url) ? 'node function' : undefined
    return value.name.startsWith('bound ') ? undefined : `native function ${value.name}`
  }
  if (types.isProxy(value)) return undefined
  const own = ownValue(value, 'constructor')
  if (typeof own === 'function' && isOfNode(own, insideOf)) return `node prototype ${own.name}`
  const made = constructorOf(value)
  const isMade = typeof made === 'function' && isOfNode(made, insideOf) && !OPEN.test(made.name)
  return isMade ? `node object ${made.name}` : undefined
}

/** Classes of Node.js whose objects hold data, or what an app has put there. */
const OPEN = /^(Buffer|FastBuffer|EventEmitter|URL|URLSearchParams)$/

function isOfNode(value: object, insideOf: InsideOf): boolean {
  return !isNative(value) && isOfNodeOrOurs(insideOf(value).url)
}

/** In the app and in a replay doctor replaces some functions of Node.js. */
function isOfNodeOrOurs(url: string): boolean {
  return /^(node|threadwise):/.test(url)
}

/** It goes on where it was, and nobody can look at where that is. */
export const RUNNING = 'iterator'

interface Description {
  readonly kind: string
  /** Null: that of what holds it. */
  readonly owner: string | null
}

export function describeState(value: object, insideOf: InsideOf): Description {
  if (typeof value === 'function')
    return { kind: `function ${digest(textOf(value))}`, owner: packageOf(insideOf(value).url) }
  if (types.isProxy(value)) return { kind: 'proxy', owner: null }
  const made = constructorOf(value)
  const owner = typeof made === 'function' && !isNative(made) ? packageOf(insideOf(made).url) : null
  return { kind: kindOf(value), owner }
}

function kindOf(value: object): string {
  if (ArrayBuffer.isView(value))
    return `bytes ${digestBytes(new Uint8Array(value.buffer, value.byteOffset, value.byteLength))}`
  if (types.isAnyArrayBuffer(value)) return `bytes ${digestBytes(new Uint8Array(value))}`
  if (types.isDate(value)) return `date ${Number(value)}`
  if (types.isRegExp(value)) return `pattern ${RegExp.prototype.toString.call(value)}`
  if (types.isBoxedPrimitive(value)) return `boxed ${String(value)}`
  if (Array.isArray(value))
    return isLongTable(value)
      ? `array ${digest(JSON.stringify(value.map(primitiveRef)))}`
      : `array ${value.length}`
  const tag = /WeakMap|WeakSet|WeakRef|Promise|External/.exec(Object.prototype.toString.call(value))?.[0]
  if (tag) return tag
  if (types.isGeneratorObject(value) || /Iterator/.test(Object.prototype.toString.call(value))) return RUNNING
  if (types.isModuleNamespaceObject(value)) return MODULE
  if (types.isMap(value)) return 'map'
  if (types.isSet(value)) return 'set'
  return types.isNativeError(value) ? 'error' : 'object'
}

/** The package that a file is of; null: it is none. */
function packageOf(url: string): string | null {
  const names = [...url.replaceAll('\\', '/').matchAll(/\/node_modules\/((?:@[^/]+\/)?[^/]+)/g)]
  return names.at(-1)?.[1] ?? null
}

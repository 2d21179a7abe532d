// What objects hold, without a call of anything.

import { types } from 'node:util'

export function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function'
}

export function descriptorOf(value: object, key: PropertyKey): PropertyDescriptor | undefined {
  if (types.isProxy(value)) return undefined
  try {
    return Reflect.getOwnPropertyDescriptor(value, key)
  } catch {
    return undefined // an export of a module that is not there yet
  }
}

export function ownValue(value: object, key: PropertyKey): unknown {
  return descriptorOf(value, key)?.value
}

/** Its class, as far as that is told by its prototype. */
export function constructorOf(value: object): unknown {
  const prototype = types.isProxy(value) ? null : prototypeOf(value)
  return prototype === null ? undefined : ownValue(prototype, 'constructor')
}

export function prototypeOf(value: object): object | null {
  return Object.getPrototypeOf(value) as object | null
}

export function ownOrInherited(value: object, key: string): PropertyDescriptor | undefined {
  for (let each: object | null = value; each !== null; each = prototypeOf(each)) {
    const found = descriptorOf(each, key)
    if (found) return found
  }
  return undefined
}

/** What it holds; of an accessor its getter. */
export function partOf(value: object, key: PropertyKey): unknown {
  const descriptor = descriptorOf(value, key)
  return descriptor && Reflect.get(descriptor, descriptor.get ? 'get' : descriptor.set ? 'set' : 'value')
}

const { toString } = Function.prototype as { toString: (this: unknown) => string }

/** Of a function as it is written. */
export function textOf(value: object): string {
  return toString.call(value)
}

/** Of the language, or bound. */
export function isNative(value: object): boolean {
  return textOf(value).endsWith('{ [native code] }')
}

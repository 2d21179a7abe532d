// Whether an object was made by a class of the platform. A class of anybody's may have the same name, or the same Symbol.toStringTag, and an
// object of another realm (node:vm, Jest, a frame) is no instance of this realm's class. So a name only says which class to ask: each has a
// getter, or a method, that throws for all but its own objects, of whichever realm.

/** True: a getter or a method of this class answers for the object. Where it has no such one (Bun, Deno), its prototype must do. */
export function isMadeBy(type: unknown, key: string, value: object): boolean {
  if (typeof type !== 'function') return false
  const { prototype } = type as unknown as { readonly prototype: object }
  const found = propertyOf(prototype, key) as { readonly get?: unknown; readonly value?: unknown } | undefined
  const ask = found?.get ?? found?.value
  if (typeof ask !== 'function') return Object.prototype.isPrototypeOf.call(prototype, value)
  try {
    return Reflect.apply(ask, value, ['x']) !== undefined
  } catch {
    return false
  }
}

/** The names of its classes, the nearest first. Whatever they are: somebody has chosen them. */
export function namesAbove(value: object): string[] {
  const names: string[] = []
  let at = Object.getPrototypeOf(value) as object | null
  for (; at !== null; at = Object.getPrototypeOf(at) as object | null) {
    const name = classNameOf(at)
    const tag: unknown = Object.getOwnPropertyDescriptor(at, Symbol.toStringTag)?.value
    if (name !== undefined && name !== 'Object') names.push(name)
    if (typeof tag === 'string' && tag !== name) names.push(tag)
  }
  return names
}

/** Of the class that this is the prototype of. */
export function classNameOf(prototype: object): string | undefined {
  const type: unknown = Object.getOwnPropertyDescriptor(prototype, 'constructor')?.value
  return typeof type === 'function'
    ? String(Object.getOwnPropertyDescriptor(type, 'name')?.value ?? '')
    : undefined
}

/** Also one of a class above. No getter is called. */
export function propertyOf(value: object, key: PropertyKey): PropertyDescriptor | undefined {
  let at: object | null = value
  for (; at !== null; at = Object.getPrototypeOf(at) as object | null) {
    const found = Object.getOwnPropertyDescriptor(at, key)
    if (found) return found
  }
  return undefined
}

const sourceOf = Function.prototype.toString // eslint-disable-line @typescript-eslint/unbound-method

/** The name of a class that the engine itself has, in any realm, by the prototype of it. No text of a program reads like that. */
export function builtInName(prototype: object): string | undefined {
  const name = classNameOf(prototype)
  if (name === undefined || name === '') return undefined
  const type = (prototype as { constructor: () => void }).constructor
  if ((type as { prototype?: unknown }).prototype !== prototype) return undefined
  const [, own] = /^function (\w+)\(\)\s*\{\s*\[native code\]\s*\}$/.exec(sourceOf.call(type)) ?? []
  return own
}

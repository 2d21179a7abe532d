// The objects of the language and of Node.js as they were before the app was loaded: by their names, and what somebody has changed since.

export interface Language {
  /** Such as "Array.prototype"; undefined: it is none of them. */
  nameOf(value: object): string | undefined
  /** Such as "BigInt.prototype.toJSON", with what stands there now. */
  changes(): { readonly name: string; readonly key: string; readonly value: unknown }[]
  /** Names on the global object that came later. */
  added(): string[]
}

interface Known {
  readonly object: object
  readonly name: string
  readonly parts: ReadonlyMap<PropertyKey, unknown>
}

/** They are looked into by nobody, or are large and of this process. */
const CLOSED = /^(process|globalThis|global|navigator|localStorage|sessionStorage|WebAssembly)$/

/** To be called before the app is loaded. */
export function rememberLanguage(): Language {
  const known = new Map<object, Known>()
  const add = (object: unknown, name: string, depth: number) => {
    if (!isObject(object) || known.has(object)) return
    const parts = new Map(Reflect.ownKeys(object).map((key) => [key, partOf(object, key)]))
    known.set(object, { object, name, parts })
    if (depth === 0 || CLOSED.test(name)) return
    for (const [key, value] of parts)
      if (typeof key === 'string' && key !== 'constructor') add(value, `${name}.${key}`, depth - 1)
  }
  known.set(globalThis, { object: globalThis, name: 'globalThis', parts: new Map() })
  const globals = Reflect.ownKeys(globalThis)
  for (const key of globals) if (typeof key === 'string') add(partOf(globalThis, key), key, 2)
  for (const [name, object] of hiddenObjects()) add(object, name, 2)
  return {
    nameOf: (value) => known.get(value)?.name,
    changes: () => [...known.values()].flatMap(changesOf),
    added: () =>
      Reflect.ownKeys(globalThis).filter(
        (key): key is string => typeof key === 'string' && !globals.includes(key),
      ),
  }
}

function changesOf({ object, name, parts }: Known) {
  if (CLOSED.test(name)) return []
  const changed = Reflect.ownKeys(object).filter(
    (key) => !parts.has(key) || !Object.is(parts.get(key), partOf(object, key)),
  )
  return changed.map((key) => ({
    name: `${name}.${String(key)}`,
    key: String(key),
    value: partOf(object, key),
  }))
}

/** Those without a global name. */
function hiddenObjects(): [string, unknown][] {
  const arrayIterator = Object.getPrototypeOf([][Symbol.iterator]()) as object
  const prototypes: [string, object][] = [
    ['ArrayIterator', arrayIterator],
    ['MapIterator', Object.getPrototypeOf(new Map().entries()) as object],
    ['SetIterator', Object.getPrototypeOf(new Set().entries()) as object],
    ['StringIterator', Object.getPrototypeOf(''[Symbol.iterator]()) as object],
    ['GeneratorFunction', Object.getPrototypeOf(function* () {}) as object],
    ['AsyncFunction', Object.getPrototypeOf(async () => {}) as object],
    ['AsyncGeneratorFunction', Object.getPrototypeOf(async function* () {}) as object],
    ['TypedArray', Object.getPrototypeOf(Uint8Array.prototype) as object],
  ]
  const above = prototypes.map(([name, object]): [string, unknown] => [
    `${name}.above`,
    Object.getPrototypeOf(object),
  ])
  return [...prototypes, ...above]
}

/** What a property holds; of an accessor its getter, which is not called. */
function partOf(object: object, key: PropertyKey): unknown {
  const descriptor = Reflect.getOwnPropertyDescriptor(object, key)
  return descriptor?.get ?? descriptor?.set ?? descriptor?.value
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function'
}

// What the inspector knows of a value and the language does not tell: the variables around a function, where it is written, what it is
// bound to, private fields and the inside of a proxy.

import { Session } from 'node:inspector'

/** How the inspector gives us a value. */
const HAND = 'threadwise.doctor.hand'

export interface Inside {
  /** Of a function; empty: it is of the language or was bound. */
  readonly scriptId: string
  /** From the innermost. */
  readonly scopes: readonly Record<string, unknown>[]
  /** Such as `[[BoundThis]]`, `[[TargetFunction]]` and `#count`. */
  readonly hidden: Record<string, unknown>
}

export interface Closures {
  /** Of many at a time: asking for one takes as long as for a hundred. */
  readonly insideOf: (values: readonly object[]) => Inside[]
  /** Address of a script, as V8 names it. */
  readonly urlOf: (scriptId: string) => string
  end(): void
}

interface RemoteValue {
  objectId?: string
  unserializableValue?: string
  value?: unknown
}

interface Properties {
  result: { name: string; value?: RemoteValue }[]
  internalProperties?: { name: string; value?: RemoteValue }[]
  privateProperties?: { name: string; value?: RemoteValue }[]
}

interface Scope {
  readonly description: string
  readonly object: Record<string, unknown>
}

/** Null: the inspector is not to be had here. */
export function openClosures(): Closures | null {
  const session = openSession()
  if (session === null) return null
  const urls = new Map<string, string>()
  session.on('Debugger.scriptParsed', ({ params }) => urls.set(params.scriptId, params.url))
  const post = <Result>(method: string, parameters?: object): Result => {
    let answer: unknown
    session.post(method, parameters, (error, result) => (answer = error ?? result))
    return answer as Result
  }
  post('Debugger.enable')
  const hand: { given: readonly object[]; taken: readonly unknown[] } = { given: [], taken: [] }
  const take = (...values: unknown[]) => void (hand.taken = values)
  Object.defineProperty(globalThis, Symbol.for(HAND), { value: { hand, take }, configurable: true })
  /** What comes from it is of the same group, and released with it. */
  const objectIdOf = (name: string) =>
    post<{ result: RemoteValue }>('Runtime.evaluate', {
      expression: `globalThis[Symbol.for("${HAND}")].${name}`,
      objectGroup: HAND,
    }).result.objectId
  const propertiesOf = (objectId: string | undefined) =>
    post<Properties>('Runtime.getProperties', { objectId, ownProperties: true })
  /** By one call, since each is compiled anew. */
  const valuesOf = (takeId: string | undefined, remote: readonly RemoteValue[]): readonly unknown[] => {
    hand.taken = []
    const given = remote.map(({ objectId, value, unserializableValue }) =>
      objectId ? { objectId } : unserializableValue ? { unserializableValue } : { value },
    )
    post('Runtime.callFunctionOn', {
      objectId: takeId,
      silent: true,
      functionDeclaration: 'function (...values) { this(...values) }',
      arguments: given,
    })
    return hand.taken
  }
  return {
    urlOf: (scriptId) => urls.get(scriptId) ?? '',
    insideOf(values) {
      hand.given = values
      const ids = propertiesOf(objectIdOf('hand.given')).result.flatMap(({ name, value }) =>
        /^\d+$/.test(name) ? [value!.objectId] : [],
      )
      const found = ids.map(propertiesOf)
      const inside = readInside(found, (remote) => valuesOf(objectIdOf('take'), remote))
      post('Runtime.releaseObjectGroup', { objectGroup: HAND })
      hand.given = []
      return inside
    },
    end() {
      Reflect.deleteProperty(globalThis, Symbol.for(HAND))
      session.disconnect()
    },
  }
}

function openSession(): Session | null {
  try {
    const session = new Session()
    session.connect()
    return session
  } catch {
    return null // such as without the right to, under --permission
  }
}

interface Found {
  readonly scriptId: string
  readonly scopes: RemoteValue | null
  readonly hidden: [string, RemoteValue][]
}

function readInside(
  all: readonly Properties[],
  valuesOf: (remote: readonly RemoteValue[]) => readonly unknown[],
): Inside[] {
  const found = all.map(findIn)
  const values = valuesOf(
    found.flatMap(({ scopes, hidden }) => [...(scopes ? [scopes] : []), ...hidden.map(([, value]) => value)]),
  )
  let at = 0
  return found.map(({ scriptId, scopes, hidden }) => ({
    scriptId,
    scopes: scopes ? scopesOf(values[at++] as ArrayLike<Scope>) : [],
    hidden: Object.fromEntries(hidden.map(([name]) => [name, values[at++]])),
  }))
}

function findIn({ internalProperties = [], privateProperties = [] }: Properties): Found {
  const internal = new Map(internalProperties.map(({ name, value = {} }) => [name, value]))
  const location = internal.get('[[FunctionLocation]]')?.value as { scriptId?: string } | undefined
  const hidden = [...internal].filter(([name]) =>
    /^\[\[(Bound\w+|Target\w*|Handler|Entries|PromiseResult|WeakRefTarget)\]\]$/.test(name),
  )
  const fields = privateProperties.map(({ name, value = {} }): [string, RemoteValue] => [name, value])
  return {
    scriptId: location?.scriptId ?? '',
    scopes: internal.get('[[Scopes]]') ?? null,
    hidden: [...hidden, ...fields],
  }
}

/** The list has no iterator. */
function scopesOf(list: ArrayLike<Scope>): Inside['scopes'] {
  const own = Array.from(list).filter(({ description }) => !/^(Global|Script)/.test(description))
  return own.map(({ object }) => object)
}

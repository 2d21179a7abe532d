// Carries whatever a task threw across the boundary, so that it arrives as it was thrown.
//
// Structured clone alone turns an instance of a subclass into a plain Error without name, code and own fields (seen on
// Node 20 to 26), and rejects some errors altogether. So errors become plain data here: a list of nodes in which causes
// refer to each other by index, because a cause chain may be circular.

import { describe, isThreadwiseError, reviveThreadwiseError } from '../errors.js'

export interface EncodedThrown {
  readonly nodes: readonly ErrorNode[]
  /** What was thrown. */
  readonly root: EncodedValue
}

type EncodedValue = { readonly node: number } | { readonly value: unknown }

interface ErrorNode {
  /** The nearest built-in class, which the receiver has too. */
  readonly base: string
  readonly name: string
  readonly message: string
  readonly stack: string
  readonly fields: Readonly<Record<string, EncodedValue>>
  readonly cause?: EncodedValue
  readonly errors?: readonly EncodedValue[]
  /** The list of errors is an ordinary field, as validation libraries have it; that of an AggregateError is hidden. */
  readonly showsErrors?: boolean
}

const builtIns: Readonly<Record<string, ErrorConstructor>> = {
  Error,
  EvalError,
  RangeError,
  ReferenceError,
  SyntaxError,
  TypeError,
  URIError,
}

/** Errors of errors of errors ...: a chain of thousands would overflow the stack, and nobody reads so far. */
const MAX_DEPTH = 100

/** Never throws, whatever was thrown: a failure here would end the worker. */
export function encodeThrown(thrown: unknown): EncodedThrown {
  try {
    return encode(thrown)
  } catch {
    return { nodes: [], root: { value: describe(thrown) } } // a proxy, or an object that throws when it is looked at
  }
}

/** The same with all that is not plain data described: for channels that cannot carry what structured clone can. */
export function describeFields({ nodes, root }: EncodedThrown): EncodedThrown {
  const plain = (value: EncodedValue) => ('node' in value ? value : { value: withoutObjects(value.value) })
  return {
    root: plain(root),
    nodes: nodes.map((node) => ({
      ...node,
      fields: Object.fromEntries(Object.entries(node.fields).map(([key, value]) => [key, plain(value)])),
      ...(node.cause && { cause: plain(node.cause) }),
      ...(node.errors && { errors: node.errors.map(plain) }),
    })),
  }
}

function encode(thrown: unknown): EncodedThrown {
  const nodes: ErrorNode[] = []
  const seen = new Map<object, number>()
  let depth = 0

  function encodeValue(value: unknown): EncodedValue {
    if (!isError(value)) return { value: cloneable(value) }
    const known = seen.get(value)
    if (known !== undefined) return { node: known }
    if (depth >= MAX_DEPTH) return { value: describe(value) }
    const index = nodes.length
    seen.set(value, index)
    nodes.push(undefined as unknown as ErrorNode) // keeps the place while the causes are encoded
    depth++
    nodes[index] = encodeError(value)
    depth--
    return { node: index }
  }

  function encodeError(error: Error): ErrorNode {
    const errors = read(error, 'errors')
    const fields: Record<string, EncodedValue> = {}
    for (const key of Object.keys(error)) {
      const isApart =
        ['cause', 'stack', 'message'].includes(key) || (key === 'errors' && Array.isArray(errors))
      if (!isApart) fields[key] = encodeValue(read(error, key))
    }
    return {
      base: baseOf(error),
      name: text(read(error, 'name'), 'Error'),
      message: text(read(error, 'message'), ''),
      stack: text(read(error, 'stack'), ''),
      fields,
      ...('cause' in error && { cause: encodeValue(read(error, 'cause')) }),
      ...(Array.isArray(errors) && { errors: errors.map(encodeValue) }),
      ...(Object.prototype.propertyIsEnumerable.call(error, 'errors') && { showsErrors: true }),
    }
  }

  const root = encodeValue(thrown)
  return { nodes, root }
}

/**
 * Rebuilds what was thrown. Each error's stack is the worker's; `callerStack` (lines that start with "    at") is
 * appended to the outermost one, so that the trace leads from the failing line through the worker to the caller.
 */
export function decodeThrown(encoded: EncodedThrown, callerStack = ''): unknown {
  const errors = encoded.nodes.map(createError)
  const decode = (value: EncodedValue) => ('node' in value ? errors[value.node] : value.value)
  encoded.nodes.forEach((node, index) => {
    const error = errors[index] as Error & { errors?: unknown[] }
    for (const [key, value] of Object.entries(node.fields)) define(error, key, decode(value), true)
    if (node.cause) define(error, 'cause', decode(node.cause), false)
    if (node.errors) define(error, 'errors', node.errors.map(decode), node.showsErrors === true)
  })
  const root = decode(encoded.root)
  if (isError(root) && callerStack) define(root, 'stack', `${root.stack}\n${callerStack}`, false)
  return root
}

function createError(node: ErrorNode): Error {
  const error = construct(node)
  if (error.name !== node.name) define(error, 'name', node.name, false)
  define(error, 'stack', node.stack, false)
  return error
}

function construct({ base, message, name }: ErrorNode): Error {
  if (base === 'ThreadwiseError') return reviveThreadwiseError(message)
  if (base === 'DOMException') return new DOMException(message, name)
  if (base === 'AggregateError') return new AggregateError([], message)
  return new (builtIns[base] ?? Error)(message)
}

/** Own fields of an error stay visible in logs as they were; name, stack and cause stay hidden as the language has them. */
function define(error: object, key: string, value: unknown, enumerable: boolean): void {
  Object.defineProperty(error, key, { value, enumerable, writable: true, configurable: true })
}

function baseOf(error: Error): string {
  if (isThreadwiseError(error)) return 'ThreadwiseError'
  if (typeof DOMException === 'function' && error instanceof DOMException) return 'DOMException'
  if (error instanceof AggregateError) return 'AggregateError'
  const found = Object.entries(builtIns).find(([name, type]) => name !== 'Error' && error instanceof type)
  return found ? found[0] : 'Error'
}

function isError(value: unknown): value is Error {
  try {
    // Errors of another realm (vm contexts, test runners) are no instances of this realm's Error.
    return value instanceof Error || Object.prototype.toString.call(value) === '[object Error]'
  } catch {
    return false // a proxy or a getter that throws
  }
}

/** Getters of foreign objects may throw; a failing field must not hide the error itself. */
function read(object: object, key: string): unknown {
  try {
    return (object as Record<string, unknown>)[key]
  } catch {
    return undefined
  }
}

function text(value: unknown, fallback: string): string {
  return typeof value === 'string' ? value : fallback
}

function isPrimitive(value: unknown): boolean {
  return value === null || !['object', 'function', 'symbol'].includes(typeof value)
}

function withoutObjects(value: unknown): unknown {
  return isPrimitive(value) ? value : describe(value)
}

/** The value itself if it can be sent; otherwise what a log would show of it. */
function cloneable(value: unknown): unknown {
  if (isPrimitive(value)) return value
  try {
    return structuredClone(value)
  } catch {
    return describe(value)
  }
}

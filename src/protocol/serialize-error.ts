// Carries whatever a task threw across the boundary, so that it arrives as it was thrown.
//
// Structured clone alone turns an instance of a subclass into a plain Error without name, code and own fields (seen on
// Node 20 to 26), and rejects some errors altogether. So errors become plain data here: a list of nodes in which causes
// refer to each other by index, because a cause chain may be circular.

import { isThreadwiseError, reviveThreadwiseError } from '../errors.js'

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

export function encodeThrown(thrown: unknown): EncodedThrown {
  const nodes: ErrorNode[] = []
  const seen = new Map<object, number>()

  function encode(value: unknown): EncodedValue {
    if (!isError(value)) return { value: cloneable(value) }
    const known = seen.get(value)
    if (known !== undefined) return { node: known }
    const index = nodes.length
    seen.set(value, index)
    nodes.push(undefined as unknown as ErrorNode) // keeps the place while the causes are encoded
    nodes[index] = encodeError(value)
    return { node: index }
  }

  function encodeError(error: Error): ErrorNode {
    const fields: Record<string, EncodedValue> = {}
    for (const key of Object.keys(error)) {
      if (key !== 'cause' && key !== 'errors' && key !== 'stack' && key !== 'message') {
        fields[key] = encode(read(error, key))
      }
    }
    const errors = read(error, 'errors')
    return {
      base: baseOf(error),
      name: text(read(error, 'name'), 'Error'),
      message: text(read(error, 'message'), ''),
      stack: text(read(error, 'stack'), ''),
      fields,
      ...('cause' in error && { cause: encode(read(error, 'cause')) }),
      ...(Array.isArray(errors) && { errors: errors.map(encode) }),
    }
  }

  const root = encode(thrown)
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
    if (node.errors) define(error, 'errors', node.errors.map(decode), false)
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
  // Errors of another realm (vm contexts, test runners) are no instances of this realm's Error.
  return value instanceof Error || Object.prototype.toString.call(value) === '[object Error]'
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

/** The value itself if it can be sent; otherwise what a log would show of it. */
function cloneable(value: unknown): unknown {
  if (
    value === null ||
    (typeof value !== 'object' && typeof value !== 'function' && typeof value !== 'symbol')
  ) {
    return value
  }
  try {
    return structuredClone(value)
  } catch {
    return describe(value)
  }
}

function describe(value: object | symbol): string {
  try {
    return String(value)
  } catch {
    return Object.prototype.toString.call(value)
  }
}

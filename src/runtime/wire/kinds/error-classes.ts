// The classes of errors: which objects are errors, and of which class both sides have one.

import { isThreadwiseError, reviveThreadwiseError } from '../../../errors/errors.js'
import { builtInName, classNameOf, isMadeBy, namesAbove } from '../../../primitives/platform-class.js'

type MakeError = (message: string, name: string) => Error

const make =
  (type: new (message: string) => Error): MakeError =>
  (message) =>
    new type(message)

const { SuppressedError } = globalThis as {
  SuppressedError?: new (error: unknown, suppressed: unknown, message: string) => Error
}
type ErrorType = new (message: string) => Error
/** Missing under --jitless. */
const { WebAssembly: assembly } = globalThis as unknown as {
  WebAssembly?: Record<'CompileError' | 'LinkError' | 'RuntimeError', ErrorType>
}

/** The classes that both sides have. */
const bases: Readonly<Record<string, MakeError>> = {
  ThreadwiseError: (message) => reviveThreadwiseError(message),
  DOMException: (message, name) => new DOMException(message, name),
  AggregateError: (message) => new AggregateError([], message),
  ...(SuppressedError && {
    SuppressedError: (message: string) => new SuppressedError(undefined, undefined, message),
  }),
  EvalError: make(EvalError),
  RangeError: make(RangeError),
  ReferenceError: make(ReferenceError),
  SyntaxError: make(SyntaxError),
  TypeError: make(TypeError),
  URIError: make(URIError),
  ...(assembly && {
    CompileError: make(assembly.CompileError),
    LinkError: make(assembly.LinkError),
    RuntimeError: make(assembly.RuntimeError),
  }),
  Error: make(Error),
}

export { isError } from '../../../primitives/any-realm.js'

/** The nearest class that the other side has too. */
export function baseOf(error: Error): string {
  if (isThreadwiseError(error)) return 'ThreadwiseError'
  if (isDomException(error)) return 'DOMException'
  return baseAbove(error) ?? 'Error'
}

/** Whether this is the prototype of one of these classes, of whichever realm. */
export function isOfPlatform(prototype: object): boolean {
  return nameOfBase(prototype) !== undefined || isDomExceptionClass(prototype)
}

/** An error of this class, without what it holds. No trace is collected, where Error is not frozen: it would be thrown away. */
export function createError(base: string, message: string, name: string): Error {
  const limit = Error.stackTraceLimit
  Reflect.set(Error, 'stackTraceLimit', 0)
  try {
    return (Object.hasOwn(bases, base) ? bases[base]! : bases.Error!)(message, name)
  } finally {
    Reflect.set(Error, 'stackTraceLimit', limit)
  }
}

function baseAbove(value: object): string | undefined {
  let at = Object.getPrototypeOf(value) as object | null
  for (; at !== null; at = Object.getPrototypeOf(at) as object | null) {
    const name = nameOfBase(at)
    if (name !== undefined) return name
  }
  return undefined
}

const ownClasses = new Map<object, string>(
  [Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError, AggregateError].map(
    (type) => [type.prototype, type.name],
  ),
)

function nameOfBase(prototype: object): string | undefined {
  const own = ownClasses.get(prototype)
  if (own !== undefined) return own
  const name = classNameOf(prototype)
  return name !== undefined && Object.hasOwn(bases, name) && builtInName(prototype) === name
    ? name
    : undefined
}

/** Node makes the class when it is first asked for. */
function isDomException(value: object): boolean {
  return namesAbove(value).includes('DOMException') && isMadeBy(globalThis.DOMException, 'code', value)
}

function isDomExceptionClass(prototype: object): boolean {
  return classNameOf(prototype) === 'DOMException' && globalThis.DOMException.prototype === prototype
}

// Why a value cannot travel, and where in it the part stands that cannot: `.user.save` is a function.

import { isError } from '../../../primitives/any-realm.js'

/** Characters of a path. */
const MAX_PATH = 200

/** Thrown by the writer. Each object on the way out adds its step to the path. */
export class NotSendable extends Error {
  readonly what: string
  path = ''

  /** `what`: what the part is, such as "a function". */
  constructor(what: string, cause?: unknown) {
    super(what, cause === undefined ? undefined : { cause })
    this.what = what
  }

  /** The same, one object further out. Of a long path the outer steps are kept. */
  within(step: string | number): this {
    const path = stepOf(step) + this.path
    this.path = path.length > MAX_PATH ? `${path.slice(0, MAX_PATH)}...` : path
    return this
  }
}

/** Whatever went wrong while a part was looked at. */
export function asNotSendable(error: unknown): NotSendable {
  if (error instanceof NotSendable) return error
  if (isError(error) && error.name === 'RangeError' && /call stack/.test(error.message))
    return new NotSendable('nested too deeply')
  return new NotSendable(`a part that throws when it is read (${textOf(error)})`, error)
}

function stepOf(step: string | number): string {
  if (typeof step === 'number') return `[${step}]`
  return /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`
}

function textOf(error: unknown): string {
  try {
    return isError(error) ? error.message : String(error)
  } catch {
    return 'something that cannot be shown'
  }
}

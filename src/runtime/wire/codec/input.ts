// What the readers of single kinds see of the bytes that are being read.

import { describe, isThreadwiseError } from '../../../errors/errors.js'

/** Of what the value is, for the error that says why it cannot be read. */
export interface ValueOrigin {
  /** "An argument", "The result". */
  readonly what: string
  readonly task: string
  /** Where it is read: "in the worker". */
  readonly where: string
}

export interface Input {
  /** The next value. */
  get(): unknown
  getText(): string
  /** A number of parts, each of which takes so many bytes at least. */
  getCount(size: number): number
  getF64(): number
  getByte(): number
  /** Passes so many bytes, and gives where they begin. */
  takeBytes(length: number): number
  /** The number of an object that is still to be made. */
  reserve(): number
  keep<T>(number: number, object: T): T
  besideAt(number: number): unknown
  copyBytes(from: number, length: number): Buffer
  /** Undefined: what was thrown is being read, and nothing may hide it. */
  readonly origin: ValueOrigin | undefined
}

/** No writer of ours has made these bytes: they were damaged, or forged. */
export class Malformed extends Error {
  constructor(what: string, cause?: unknown) {
    super(`malformed message: ${what}`, cause === undefined ? undefined : { cause })
  }
}

/** Whatever a reader has thrown. A text that is no URL, a number beyond the end: the platform throws errors of its own for these. */
export function asMalformed(error: unknown): Error {
  if (error instanceof Malformed || isThreadwiseError(error)) return error
  return new Malformed(describe(error), error)
}

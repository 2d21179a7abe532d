// What a function can reach, as data: the form in which the app and a fresh process tell it, so that both can be compared.

/** `#7` is a node, `=Array.prototype` a part of the language or of Node.js, everything else a value without parts. */
export type Ref = string

export interface StateNode {
  /** What it is, and what it holds beside its parts: the text of a function, the bytes of a buffer. Equal things have equal kinds. */
  readonly kind: string
  /** The package that it belongs to; null: the app's own code. */
  readonly owner: string | null
  /** By the name of a part, such as `.rows`, `[0]` and `.get("a")`; of a function by ` of ` and the variable that it uses. */
  readonly parts: Record<string, Ref>
}

/** A class of errors that can be reached, and so may be thrown. */
export interface ReachedError {
  readonly name: string
  readonly owner: string | null
}

export interface StateGraph {
  readonly nodes: readonly StateNode[]
  /** By the name of a variable that the function uses, or of a part of it. */
  readonly roots: Record<string, Ref>
  /** What somebody has changed or added, such as `BigInt.prototype.toJSON`, as far as a text that was reached names it. */
  readonly language: Record<string, Ref>
  /** False: there is more than was looked at. */
  readonly isWhole: boolean
  readonly errors: readonly ReachedError[]
  /** Of the keys of objects and maps those that a text which was reached names. All others may be data. */
  readonly names: readonly string[]
}

/** How a variable begins a part of a function, in `parts`. */
export const VARIABLE = ' of '

/** The kind of what `import *` gives. */
export const MODULE = 'module'

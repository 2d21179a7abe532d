// The form in which values travel that structured clone alone would not keep: instances of registered classes, and errors.
//
//   root    the value, with an empty object wherever something stands that the receiver must make (a stand-in)
//   nodes   the errors, which refer to each other by number: without stand-ins they fit into shared memory
//   steps   what the receiver does, in this order; left out when it has only to fill the nodes
//
// Structured clone keeps what is one object within a message one object. So a step names a part of the root by the object
// itself, and nothing that a user sends can be taken for a stand-in.

/** A reference to an error, or a value that may be a stand-in or hold some. */
export type EncodedValue = { readonly node: number } | { readonly value: unknown }

export interface ErrorNode {
  /** The nearest built-in class, which the receiver has too. */
  readonly base: string
  readonly name: string
  readonly message: string
  readonly stack: string
  fields: Readonly<Record<string, EncodedValue>>
  cause?: EncodedValue
  errors?: readonly EncodedValue[]
  /** The list of errors is an ordinary field, as validation libraries have it; that of an AggregateError is hidden. */
  showsErrors?: boolean
  /** The registered class. */
  className?: string
  /** What the class's toData() gave. */
  data?: { readonly value: unknown }
  /** Its stand-in, if there is one. */
  at?: object
}

export interface EncodedGraph {
  readonly root: EncodedValue
  readonly nodes: readonly ErrorNode[]
  readonly steps?: readonly Step[]
}

/** A code and what it is about. Whatever a step needs is done before it. */
export type Step = readonly unknown[]

/** number of a node: give the error its fields */
export const FILL_ERROR = 0
/** number of a node: make the error of its data */
export const MAKE_ERROR = 1
/** name of a class, object ...: these have the fields already, and become instances */
export const SET_CLASS = 2
/** stand-in, name of its class, data: make the instance of the data */
export const MAKE = 3
/** object or array, key ...: these hold stand-ins for what was made */
export const PUT = 4
/** Map or Set: it holds stand-ins for what was made */
export const PUT_ITEMS = 5

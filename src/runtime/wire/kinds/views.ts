// What a view of a buffer is, whatever its class, or the object itself, says of it.

type ViewConstructor = new (buffer: ArrayBufferLike, byteOffset?: number, length?: number) => ArrayBufferView

const { Float16Array } = globalThis as { Float16Array?: ViewConstructor }

/** In the order in which they are numbered. Float16Array is last: it is not in every supported Node. */
export const viewTypes: readonly ViewConstructor[] = [
  Int8Array,
  Uint8Array,
  Uint8ClampedArray,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
  Float32Array,
  Float64Array,
  BigInt64Array,
  BigUint64Array,
  DataView,
  ...(Float16Array ? [Float16Array] : []),
]

const DATA_VIEW = viewTypes.indexOf(DataView)
const numbers = new Map(viewTypes.map((type, number) => [type.name, number]))

const typedArray = Object.getPrototypeOf(Uint8Array.prototype) as object
const nameOf = getter<string | undefined>(typedArray, Symbol.toStringTag)
const typedBufferOf = getter<ArrayBufferLike>(typedArray, 'buffer')
const typedLengthOf = getter<number>(typedArray, 'length')
const typedBytesOf = getter<number>(typedArray, 'byteLength')
const typedOffsetOf = getter<number>(typedArray, 'byteOffset')
const dataOffsetOf = getter<number>(DataView.prototype, 'byteOffset')
const dataBufferOf = getter<ArrayBufferLike>(DataView.prototype, 'buffer')
const dataBytesOf = getter<number>(DataView.prototype, 'byteLength')
const resizable = getter<boolean>(ArrayBuffer.prototype, 'resizable')
/** Programs may have no shared memory. */
const growable =
  typeof SharedArrayBuffer === 'undefined'
    ? () => false
    : getter<boolean>(SharedArrayBuffer.prototype, 'growable')

/** Throws for one whose items are not there. */
const keysOf = Uint8Array.prototype.keys // eslint-disable-line @typescript-eslint/unbound-method

const prototypes = new Set(viewTypes.map(({ prototype }) => prototype as object))

/** It is of one of these classes itself, and of this realm. */
export function isOfPlatform(view: ArrayBufferView): boolean {
  return prototypes.has(Object.getPrototypeOf(view) as object)
}

/** Which of `viewTypes` it is. */
export function viewNumberOf(view: ArrayBufferView): number {
  return numbers.get(nameOf(view) ?? 'DataView') ?? DATA_VIEW
}

export function bufferOf(view: ArrayBufferView): ArrayBufferLike {
  return nameOf(view) === undefined ? dataBufferOf(view) : typedBufferOf(view)
}

/** Items; of a DataView bytes. */
export function viewLengthOf(view: ArrayBufferView): number {
  return nameOf(view) === undefined ? dataBytesOf(view) : typedLengthOf(view)
}

/** Where it begins in its buffer. */
export function viewOffsetOf(view: ArrayBufferView): number {
  return nameOf(view) === undefined ? dataOffsetOf(view) : typedOffsetOf(view)
}

export function viewBytesOf(view: ArrayBufferView): number {
  return nameOf(view) === undefined ? dataBytesOf(view) : typedBytesOf(view)
}

/** No script can tell whether a view of such a buffer follows its length. */
export function isResizable(buffer: ArrayBufferLike): boolean {
  try {
    return resizable(buffer)
  } catch {
    return growable(buffer)
  }
}

/** Its buffer has become too short for it. */
export function isOutOfBounds(view: ArrayBufferView): boolean {
  try {
    if (nameOf(view) === undefined) dataBytesOf(view)
    else keysOf.call(view)
    return false
  } catch {
    return true
  }
}

/** It was moved before. */
export function isDetached(buffer: ArrayBufferLike): boolean {
  if (buffer.byteLength > 0) return false
  try {
    new Uint8Array(buffer)
    return false // it is empty
  } catch {
    return true
  }
}

function getter<T>(prototype: object, key: PropertyKey): (object: object) => T {
  const property = Object.getOwnPropertyDescriptor(prototype, key)!
  return (object) => property.get!.call(object) as T
}

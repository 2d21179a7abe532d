// The first byte of each encoded value.
//
//   UNDEFINED NULL TRUE FALSE
//   INT32 i32        FLOAT64 f64        INT64 i64 (a bigint of 64 bits)        BIGINT text (hexadecimal)
//   SHORT u8 latin1  LATIN1 u32 bytes   UTF8 u32 bytes                         UTF16 u32 bytes (lone surrogates)
//   DATE f64         ARRAY u32 value*   OBJECT shape value*                    BUFFER u32 bytes
//   TYPED u8 (which) u32 bytes            INT32S u32 i32*, FLOAT64S u32 f64* (arrays of nothing but such numbers)
//   SHARED u32 (known-buffers.ts)       SHARED_VIEW u8 (which) SHARED f64 (byte offset) f64 (length)
//
// A shape is the list of an object's keys: u32 hash, u16 bytes, u16 keys, key*. Each key is a string value.

export const UNDEFINED = 0
export const NULL = 1
export const TRUE = 2
export const FALSE = 3
export const INT32 = 4
export const FLOAT64 = 5
export const INT64 = 6
export const BIGINT = 7
export const SHORT = 8
export const LATIN1 = 9
export const UTF8 = 10
export const UTF16 = 11
export const DATE = 12
export const ARRAY = 13
export const OBJECT = 14
export const BUFFER = 15
export const TYPED = 16
export const INT32S = 17
export const FLOAT64S = 18
export const SHARED = 19
export const SHARED_VIEW = 20

/** Bytes of a shape before its keys: tag, hash, length, count. */
export const SHAPE_HEADER = 9

type TypedArrayConstructor = new (
  buffer: ArrayBufferLike,
  byteOffset?: number,
  length?: number,
) => ArrayBufferView

/** What TYPED counts through. A Float16Array is not in every supported Node; like all that is not here it goes by message. */
export const typedArrays: readonly TypedArrayConstructor[] = [
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
]

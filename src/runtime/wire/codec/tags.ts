// The format of a value as bytes. write-value.ts writes it, read-value.ts reads it; nothing is agreed between the two sides before.
//
//   u16 shapes | u16 flags | u32 end of values | u32 end of text      positions from the first byte; little-endian throughout
//   value                tags and numbers, as below
//   text                 all short one-byte strings, end to end, in the order in which they are read; with the flag HAS_WIDE a piece of them has
//                        two bytes for each character, and behind the text stand u32 from, u32 to: the characters of that piece
//   shape shape ...      the keys of the objects: u32 hash | u16 bytes | u16 keys | (u16 length, top bit: UTF-16; text) for each key
//
//   0x00-0x3f  the integer itself                      0x40-0x7f  a text of so many characters, which stand in the text part
//   U16 u16   I32 i32   F64 f64   I64 i64   BIG text   TEXT u8 (a longer one)   LATIN1 u32 bytes   UTF16 u32 bytes
//   OBJECT u16 shape, value*          OBJECT_MORE u16 shape, u32 count, value*, (text key, value)*     keys that are data
//   ARRAY8 u8 value*   ARRAY u32 value*   HOLE   GAPS u32 length, (value | HOLE | HOLES u32 count)*   SPARSE u32 length, u32 count, (text key, value)*   INTS u32 i32*   FLOATS u32 f64*
//   MAP u32 (2 x items) value*   SET u32 value*   DATE f64   REGEXP text text   BOXED value   ERROR: error-parts.ts
//   BUFFER u32 bytes   BYTES u32 bytes (a Buffer of Node)   VIEW u8 type, f64 offset, f64 length, value (the buffer)
//   BESIDE u32   the object of this number among those that travel beside the bytes     BYTES_VIEW f64 offset, f64 length, value   a Buffer over that buffer
//   URL text   SEARCH_PARAMS text   HEADERS u32 text*   FORM_DATA u32 (text, value)*   FILE text text f64, value (the Blob)
//   CLASS text name, value (what toData() gave)   FIELDS text name, value (a plain object)
//   PAD value   text of two-byte characters begins at an even byte: elsewhere Node copies it once more, both to write and to read it; the
//               bytes of a buffer, if there are many, begin at a multiple of WORD: from elsewhere in shared memory V8 copies them one by one
//   REF u32   the object of this number, in the order in which objects begin; only with the flag HAS_REFS

export const HEADER = 12
/** Flag: the message holds REF. Otherwise its reader need not number the objects. */
export const HAS_REFS = 1
/** Flag: a piece of the text is of two-byte characters. */
export const HAS_WIDE = 2
/** Where it lies takes so many bytes. */
export const WIDE_BYTES = 8

export const SMALL_INTEGERS = 0x40
export const SHORT_TEXTS = 0x40

export const NULL = 0x80
export const UNDEFINED = 0x81
export const TRUE = 0x82
export const FALSE = 0x83
export const U16 = 0x84
export const I32 = 0x85
export const F64 = 0x86
export const TEXT = 0x87
export const LATIN1 = 0x88
export const UTF16 = 0x89
export const I64 = 0x8a
export const BIG = 0x8b
export const OBJECT = 0x8c
export const OBJECT_MORE = 0x8d
export const ARRAY8 = 0x8e
export const ARRAY = 0x8f
export const HOLE = 0x90
export const SPARSE = 0x91
export const INTS = 0x92
export const FLOATS = 0x93
export const DATE = 0x94
export const MAP = 0x95
export const SET = 0x96
export const REGEXP = 0x97
export const ERROR = 0x98
export const BUFFER = 0x99
export const VIEW = 0x9a
export const BYTES = 0x9b
export const BESIDE = 0x9c
export const BOXED = 0x9d
export const URL_TEXT = 0x9e
export const HEADERS = 0x9f
export const CLASS = 0xa0
export const FIELDS = 0xa1
export const REF = 0xa2
export const BYTES_VIEW = 0xa3
export const SEARCH_PARAMS = 0xa4
export const FORM_DATA = 0xa5
export const FILE = 0xa6
export const PAD = 0xa7
export const GAPS = 0xa8
export const HOLES = 0xa9

/** Bytes that V8 copies at a time to and from shared memory, if both sides begin at the same place within so many. */
export const WORD = 8

/** Characters of a text that is put together with others. */
export const MAX_JOINED_TEXT = 128

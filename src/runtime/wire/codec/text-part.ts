// The text part of a message that is being written: all its short texts, end to end.
//
//   first ------ written ------------ wide ------------ written ---- joined
//   letter by    joined and written   the first piece   one byte     not written yet
//   letter       in pieces            with a character  a character
//                                     of two bytes
//
// Short texts are joined, and written by one call into native code: each such call takes as long as ten texts. Only the first few of a message
// are written letter by letter, as a small value has no others. Whether joined texts are of one-byte characters is asked once a piece:
// a piece that is not has two bytes for each character, and from then on each text is looked at, and stands alone if it is not.

import { isOneByte } from './text.js'

/** Characters of a message that are written letter by letter. */
const FIRST_TEXTS = 256
/** Joined text is written when it is so long, so that V8 need not join all of it in one go. */
const FLUSH_TEXT = 8192
const FIRST_BYTES = 1 << 16
/** Of larger memory nothing is kept for the next message. */
const MAX_KEPT_BYTES = 1 << 24

/** How much of it there is. */
export interface TextMark {
  readonly first: number
  readonly isJoining: boolean
  readonly written: number
  readonly joined: string
  readonly wideFrom: number
  readonly wideTo: number
}

export class TextPart {
  /** The characters that take two bytes; none: both are 0. */
  wideFrom = 0
  wideTo = 0
  readonly #first = Buffer.alloc(FIRST_TEXTS)
  #firstLength = 0
  /** There was no room for a text in #first: all that follow are joined. */
  #isJoining = false
  #joined = ''
  #written: Buffer | undefined
  /** In bytes. */
  #writtenLength = 0

  begin(): void {
    this.#joined = ''
    this.#firstLength = this.#writtenLength = this.wideFrom = this.wideTo = 0
    this.#isJoining = false
  }

  end(): void {
    this.#joined = ''
    if (this.#written && this.#written.length > MAX_KEPT_BYTES) this.#written = undefined
  }

  /** False: it must stand alone. */
  join(text: string, length: number): boolean {
    if (!this.#isJoining) {
      const at = this.#firstLength
      if (at + length <= FIRST_TEXTS) {
        let all = 0
        for (let i = 0; i < length; i++) {
          const code = text.charCodeAt(i)
          all |= code
          this.#first[at + i] = code
        }
        if (all > 0xff) return false
        this.#firstLength = at + length
        return true
      }
      this.#isJoining = true
    }
    if (this.wideTo > 0 && !isOneByte(text)) return false
    this.#joined += text
    if (this.#joined.length > FLUSH_TEXT) this.#flush()
    return true
  }

  /** Writes what is joined, and gives the number of bytes that {@link copyTo} takes. */
  finish(): number {
    if (this.#joined !== '') this.#flush()
    return this.#firstLength + this.#writtenLength
  }

  copyTo(target: Buffer, at: number): void {
    copy(this.#first, this.#firstLength, target, at)
    if (this.#writtenLength > 0) copy(this.#written!, this.#writtenLength, target, at + this.#firstLength)
  }

  mark(): TextMark {
    return {
      first: this.#firstLength,
      isJoining: this.#isJoining,
      written: this.#writtenLength,
      joined: this.#joined,
      wideFrom: this.wideFrom,
      wideTo: this.wideTo,
    }
  }

  /** What was written since is not part of it any more. */
  rollBack(mark: TextMark): void {
    this.#firstLength = mark.first
    this.#isJoining = mark.isJoining
    this.#writtenLength = mark.written
    this.#joined = mark.joined
    this.wideFrom = mark.wideFrom
    this.wideTo = mark.wideTo
  }

  #flush(): void {
    const { length } = this.#joined
    const isWide = this.wideTo === 0 && !isOneByte(this.#joined)
    if (isWide) {
      this.wideFrom = this.#firstLength + this.#writtenLength
      this.wideTo = this.wideFrom + length
    }
    const at = this.#writtenLength
    const end = at + (isWide ? 2 * length : length)
    const written = this.#memory(end)
    if (isWide) written.ucs2Write(this.#joined, at, end - at)
    else written.latin1Write(this.#joined, at, length)
    this.#writtenLength = end
    this.#joined = ''
  }

  #memory(length: number): Buffer {
    const before = this.#written
    if (before !== undefined && length <= before.length) return before
    this.#written = Buffer.allocUnsafeSlow(Math.max(FIRST_BYTES, 2 * length))
    if (before) this.#written.set(before.subarray(0, this.#writtenLength))
    return this.#written
  }
}

/** Up to here a loop is faster than a call into native code. */
const LOOP_BYTES = 64

export function copy(source: Buffer, length: number, target: Buffer, at: number): void {
  if (length > LOOP_BYTES) target.set(length === source.length ? source : source.subarray(0, length), at)
  else for (let i = 0; i < length; i++) target[at + i] = source[i]!
}

declare global {
  interface Buffer {
    latin1Write(text: string, offset: number, length: number): number
    ucs2Write(text: string, offset: number, length: number): number
    latin1Slice(start: number, end: number): string
    ucs2Slice(start: number, end: number): string
  }
}

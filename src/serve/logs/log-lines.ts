// The lines of a log: cuts output that comes in pieces into whole lines, and puts time and writer before each.

/** What has no end by then is taken as a line: else memory would grow with it. */
export const MAX_LINE_BYTES = 1024 ** 2

const NEWLINE = 10

export interface LineSplitter {
  /** The lines that are whole now, without their ends. Bytes, since a piece may end inside a character. */
  push(piece: Buffer): Buffer[]
  /** What is left without an end of its own: one line, or none. */
  end(): Buffer[]
}

export function createLineSplitter(maxBytes = MAX_LINE_BYTES): LineSplitter {
  let parts: Buffer[] = []
  let bytes = 0
  const take = (): Buffer => {
    const line = parts.length === 1 ? parts[0]! : Buffer.concat(parts)
    parts = []
    bytes = 0
    return line
  }
  const keep = (part: Buffer, lines: Buffer[]) => {
    for (let at = 0; at < part.length;) {
      const piece = part.subarray(at, at + maxBytes - bytes)
      parts.push(piece)
      bytes += piece.length
      at += piece.length
      if (bytes === maxBytes) lines.push(take())
    }
  }
  return {
    push(piece) {
      const lines: Buffer[] = []
      let start = 0
      for (let end = piece.indexOf(NEWLINE); end >= 0; end = piece.indexOf(NEWLINE, start)) {
        parts.push(piece.subarray(start, end))
        lines.push(take())
        start = end + 1
      }
      keep(piece.subarray(start), lines)
      return lines
    },
    end: () => (bytes > 0 ? [take()] : []),
  }
}

/** `2026-11-21T15:40:00.123Z [3] text`, with the newline. */
export function logLine(from: string, text: Buffer | string, now: Date = new Date()): Buffer {
  const head = Buffer.from(`${now.toISOString()} [${from}] `)
  return Buffer.concat([head, typeof text === 'string' ? Buffer.from(text) : text, END])
}

/** Only what was written, without time and writer. A line of another form stays as it is. */
export function textOfLine(line: Buffer): Buffer {
  // The head is short, and latin1 has one byte for each character.
  const [head] = /^\d{4}-\S{18}Z \[[^\]]*\] /.exec(line.toString('latin1', 0, 100)) ?? ['']
  return line.subarray(head.length)
}

const END = Buffer.from('\n')

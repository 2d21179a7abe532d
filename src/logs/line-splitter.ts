// Cuts what comes in pieces into whole lines.

/** What has no end by then is taken as a line: memory must not grow with it. */
export const MOST_LINE_BYTES = 1024 ** 2

const NEWLINE = 10

export interface LineSplitter {
  /** The lines that are whole now, without their ends. Bytes, since a piece may end inside a character. */
  push(piece: Buffer): Buffer[]
  /** What is left without an end of its own: one line, or none. */
  end(): Buffer[]
}

export function createLineSplitter(mostBytes = MOST_LINE_BYTES): LineSplitter {
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
      const piece = part.subarray(at, at + mostBytes - bytes)
      parts.push(piece)
      bytes += piece.length
      at += piece.length
      if (bytes === mostBytes) lines.push(take())
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

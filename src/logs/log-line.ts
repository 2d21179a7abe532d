// A line of a log file: when it came, from whom, and what was written.

/** `2026-11-21T15:40:00.123Z [3] text`, with its end. */
export function logLine(from: string, text: Buffer | string, now: Date = new Date()): Buffer {
  const head = Buffer.from(`${now.toISOString()} [${from}] `)
  return Buffer.concat([head, typeof text === 'string' ? Buffer.from(text) : text, END])
}

/** What was written alone. A line of another form stays as it is. */
export function textOfLine(line: Buffer): Buffer {
  // The head is short, and latin1 has one byte for each character.
  const [head] = /^\d{4}-\S{18}Z \[[^\]]*\] /.exec(line.toString('latin1', 0, 100)) ?? ['']
  return line.subarray(head.length)
}

const END = Buffer.from('\n')

// What workers print, line by line, each with the name of its worker before it.

/** What is needed of a stream. */
export interface OutputSource {
  on(event: 'data', listener: (chunk: string | Uint8Array) => void): unknown
  on(event: 'end', listener: () => void): unknown
}

/** What is needed of a stream. */
export interface OutputTarget {
  write(chunk: string | Uint8Array, written?: (error?: Error | null) => void): unknown
  listenerCount(event: 'error'): number
  once(event: 'error', listener: () => void): unknown
  off(event: 'error', listener: () => void): unknown
}

export interface Labeller {
  write(chunk: string | Uint8Array): void
  /** No more comes: prints a line that has no end. */
  end(): void
}

/** Characters after which a line without an end is printed as it is. */
const LONGEST_LINE = 1 << 16

export function createLabeller(name: string, target: () => OutputTarget): Labeller {
  const decoder = new TextDecoder() // a character may be cut between two chunks
  let rest = ''
  const print = (lines: readonly string[]) => {
    if (lines.length > 0) writeOutput(target(), lines.map((line) => `[${name}] ${line}\n`).join(''))
  }
  return {
    write(chunk) {
      const lines = (
        rest + (typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true }))
      ).split('\n')
      rest = lines.pop()!
      if (rest.length > LONGEST_LINE) {
        lines.push(rest)
        rest = ''
      }
      print(lines)
    },
    end() {
      if (rest !== '') print([rest])
      rest = ''
    },
  }
}

export function labelOutput(name: string, source: OutputSource, target: OutputTarget): void {
  const labeller = createLabeller(name, () => target)
  source.on('data', (chunk) => labeller.write(chunk))
  source.on('end', () => labeller.end())
}

/** As console.log() does: where nobody reads any more (`| head`), and nobody cares, the program goes on. */
export function writeOutput(target: OutputTarget, chunk: string | Uint8Array): void {
  if (target.listenerCount('error') > 0) return void target.write(chunk)
  target.once('error', ignore)
  target.write(chunk, (error) => {
    if (error && target.listenerCount('error') === 0) target.once('error', ignore) // it is told after this
  })
  target.off('error', ignore)
}

function ignore(): void {}

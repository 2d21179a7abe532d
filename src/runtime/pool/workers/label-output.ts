// What workers print, line by line, each with the name of its worker before it.

/** What is needed of a stream. */
interface Source {
  setEncoding(encoding: 'utf8'): unknown
  on(event: 'data', listener: (text: string) => void): unknown
  on(event: 'end', listener: () => void): unknown
}

interface Target {
  write(text: string, written?: (error?: Error | null) => void): unknown
  listenerCount(event: 'error'): number
  once(event: 'error', listener: () => void): unknown
  off(event: 'error', listener: () => void): unknown
}

/** Characters after which a line without an end is printed as it is. */
const LONGEST_LINE = 1 << 16

export function labelOutput(name: string, source: Source, target: Target): void {
  let rest = ''
  const print = (lines: readonly string[]) => {
    if (lines.length > 0) write(target, lines.map((line) => `[${name}] ${line}\n`).join(''))
  }
  source.setEncoding('utf8') // a character may be cut between two chunks
  source.on('data', (text: string) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop()!
    if (rest.length > LONGEST_LINE) {
      lines.push(rest)
      rest = ''
    }
    print(lines)
  })
  source.on('end', () => {
    if (rest !== '') print([rest])
  })
}

/** As console.log() does: where nobody reads any more (`| head`), and nobody cares, the program goes on. */
function write(target: Target, text: string): void {
  if (target.listenerCount('error') > 0) return void target.write(text)
  target.once('error', ignore)
  target.write(text, (error) => {
    if (error && target.listenerCount('error') === 0) target.once('error', ignore) // it is told after this
  })
  target.off('error', ignore)
}

function ignore(): void {}

// What workers print, line by line, each with the name of its worker before it.

/** What is needed of a stream. */
interface Source {
  setEncoding(encoding: 'utf8'): unknown
  on(event: 'data', listener: (text: string) => void): unknown
  on(event: 'end', listener: () => void): unknown
}

interface Target {
  write(text: string): unknown
}

/** Characters after which a line without an end is printed as it is. */
const LONGEST_LINE = 1 << 16

export function labelOutput(name: string, source: Source, target: Target): void {
  let rest = ''
  const print = (lines: readonly string[]) => {
    if (lines.length > 0) target.write(lines.map((line) => `[${name}] ${line}\n`).join(''))
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

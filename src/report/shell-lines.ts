// Breaks a shell command into lines that can still be pasted into a shell.

type Quote = '"' | "'" | ''

/**
 * Lines of at most `width` columns, joined by a backslash. Breaks between arguments; an argument longer than a line is
 * broken inside, in a way that a POSIX shell puts together again: inside double quotes and outside quotes backslash-newline
 * is nothing, inside single quotes the quotes are closed and opened again.
 */
export function shellLines(command: string, width: number): string[] {
  const room = width - 2
  const lines: string[] = []
  let line = ''
  for (const argument of splitArguments(command)) {
    if (line !== '' && line.length + 1 + argument.length > room) {
      lines.push(`${line} \\`)
      line = ''
    }
    const separated = line === '' ? (lines.length > 0 ? '  ' : '') : ' '
    if (line === '' && separated.length + argument.length > room) {
      const pieces = breakArgument(argument, room)
      lines.push(...pieces.slice(0, -1))
      line = pieces.at(-1) ?? ''
    } else line += separated + argument
  }
  return [...lines, line]
}

function splitArguments(command: string): string[] {
  const words: string[] = []
  let word = ''
  let quote: Quote = ''
  for (const character of command.trim()) {
    quote = nextQuote(quote, character, word)
    if (character === ' ' && quote === '') {
      if (word !== '') words.push(word)
      word = ''
    } else word += character
  }
  return [...words, word]
}

function breakArgument(argument: string, room: number): string[] {
  const lines: string[] = []
  let line = ''
  let quote: Quote = ''
  for (const character of argument) {
    // Never between a backslash and what it escapes.
    if (line.length >= room - 1 && !line.endsWith('\\')) {
      lines.push(quote === "'" ? `${line}'\\` : `${line}\\`)
      line = quote === "'" ? "'" : ''
    }
    quote = nextQuote(quote, character, line)
    line += character
  }
  return [...lines, line]
}

function nextQuote(quote: Quote, character: string, before: string): Quote {
  if (quote !== "'" && before.endsWith('\\')) return quote
  if (quote === '') return character === '"' || character === "'" ? character : ''
  return character === quote ? '' : quote
}

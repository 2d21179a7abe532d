// The words of a line of arguments, as a shell finds them: quotes hold spaces together, and a backslash the next sign.

/** @example splitWords('run start -- "a b"') // ['run', 'start', '--', 'a b'] */
export function splitWords(line: string): string[] {
  const words = line.match(/(?:"(?:\\.|[^"\\])*"|'[^']*'|\\.|[^\s"'\\])+/gs) ?? []
  return words.map((word) =>
    word.replace(
      /"((?:\\.|[^"\\])*)"|'([^']*)'|\\(.)/gs,
      (_, double?: string, single?: string, escaped?: string) =>
        double === undefined ? (single ?? escaped ?? '') : double.replace(/\\(["\\$`])/g, '$1'),
    ),
  )
}

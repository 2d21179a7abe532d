// JSON as people write it for PM2, which reads it as JavaScript: with comments, a comma at the end, names without quotes, texts in single ones. It is
// made JSON, and never run.

/** What is in quotes stays as it is; everything else is looked at. */
const QUOTED = String.raw`("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')`
const COMMENT = new RegExp(`${QUOTED}|//.*|/\\*[^]*?\\*/`, 'g')
const LAST_COMMA = new RegExp(`${QUOTED}|,(?=\\s*[}\\]])`, 'g')
const BARE_NAME = new RegExp(`${QUOTED}|([A-Za-z_$][\\w$]*)(?=\\s*:)`, 'g')

/** Throws a SyntaxError as JSON.parse does. */
export function parseLooseJson(text: string): unknown {
  const kept = (_: string, quoted = '') => quoted
  const plain = text.replace(COMMENT, kept).replace(LAST_COMMA, kept)
  return JSON.parse(
    plain.replace(BARE_NAME, (_, quoted: string | undefined, name: string) =>
      quoted === undefined ? `"${name}"` : inDoubleQuotes(quoted),
    ),
  )
}

function inDoubleQuotes(quoted: string): string {
  if (quoted.startsWith('"')) return quoted
  const inner = quoted
    .slice(1, -1)
    .replace(/\\'/g, "'")
    .replace(/\\.|"/g, (found) => (found === '"' ? '\\"' : found))
  return `"${inner}"`
}

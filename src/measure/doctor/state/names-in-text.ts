// What a text of code names. A variable that a function uses stands in its text as a word, so no parser is needed to know which of those
// around it can matter: words of other meanings only add to them.

const NAME = String.raw`[\p{ID_Start}$_][\p{ID_Continue}$]*`
/** A name, and what follows it: `config`, ` .vat`, `.AT`. One behind a point is none of a variable, but for `...config`. */
const CHAIN = new RegExp(
  `(?<![\\p{ID_Continue}$])(\\.\\.\\.\\s*|(?<!\\.\\s*))(${NAME})((?:\\s*\\??\\.\\s*${NAME})*)`,
  'gu',
)
const WORD = new RegExp(`#?${NAME}`, 'gu')

/** By how many names a path may be followed. */
const MAX_PATH = 3

export interface NamesInText {
  readonly words: ReadonlySet<string>
  /**
   * How it uses a variable: `[['rates', 'AT'], ['round']]` where it takes parts of it alone, `[[]]` where it uses all of it, and an empty
   * list where it does not name it.
   */
  usesOf(name: string): readonly (readonly string[])[]
}

/** Each text once. */
export function createReader(): (text: string) => NamesInText {
  const known = new Map<string, NamesInText>()
  return (text) => {
    let names = known.get(text)
    if (!names) known.set(text, (names = namesIn(text)))
    return names
  }
}

export function namesIn(text: string): NamesInText {
  const uses = new Map<string, Map<string, string[]>>()
  for (const [, before, name, after] of text.matchAll(CHAIN)) {
    const path = before === '' ? (after!.match(WORD) ?? []).slice(0, MAX_PATH) : []
    const paths = uses.get(name!) ?? new Map<string, string[]>()
    uses.set(name!, paths.set(path.join('.'), path))
  }
  return {
    words: new Set(text.match(WORD)),
    usesOf(name) {
      const paths = uses.get(name)
      return paths === undefined ? [] : paths.has('') ? [[]] : [...paths.values()]
    },
  }
}

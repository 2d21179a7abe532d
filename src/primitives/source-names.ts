// The file that a program names is the one that a build will write: where only its source is there, that is meant. TypeScript and bundlers
// resolve imports so.

/** Endings of sources, by that of the output, in the order in which they are looked for. tsdown and unbuild write .mjs for a .ts file. */
const SOURCES: Readonly<Record<string, readonly string[]>> = {
  '.js': ['.ts', '.tsx', '.jsx'],
  '.jsx': ['.tsx'],
  '.mjs': ['.mts', '.ts', '.tsx'],
  '.cjs': ['.cts', '.ts', '.tsx'],
}

/** Paths of what may be its source, without the file itself; none: no output ends so. */
export function sourceNames(path: string): string[] {
  const [ending = ''] = /\.[cm]?jsx?$/.exec(path) ?? []
  return (SOURCES[ending] ?? []).map((source) => path.slice(0, -ending.length) + source)
}

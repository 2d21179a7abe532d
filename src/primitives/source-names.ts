// The file that a program names is the one that a build will write: where only its source is there, that is meant. TypeScript and bundlers
// resolve imports so. A name without an ending is meant as bundlers, and TypeScript for them, take it: `new URL('./tasks', import.meta.url)`.

/** Endings of sources, by that of the output, in the order in which they are looked for. tsdown and unbuild write .mjs for a .ts file. */
const SOURCES: Readonly<Record<string, readonly string[]>> = {
  '.js': ['.ts', '.tsx', '.jsx'],
  '.jsx': ['.tsx'],
  '.mjs': ['.mts', '.ts', '.tsx'],
  '.cjs': ['.cts', '.ts', '.tsx'],
}

/** Of a name without an ending: what is built is there, or only its source. */
const WITHOUT_ENDING = ['.js', '.mjs', '.cjs', '.ts', '.tsx', '.mts', '.cts']

/** `tasks`, `images.tasks`; not `logo.png`, which is no code, whatever lies beside it. */
export function hasNoEnding(path: string): boolean {
  return /(?:^|[\\/])[^.\\/]+(?:\.(?:tasks?|workers?))?$/.test(path)
}

/** Paths of what may be meant, without the file itself; none: no output ends so. */
export function sourceNames(path: string): string[] {
  if (hasNoEnding(path)) return WITHOUT_ENDING.map((ending) => path + ending)
  const [ending = ''] = /\.[cm]?jsx?$/.exec(path) ?? []
  return (SOURCES[ending] ?? []).map((source) => path.slice(0, -ending.length) + source)
}

// The text of a module of what was taken of a file: as an ES module or as CommonJS, in JavaScript or TypeScript, and in the style of an app.

import type { ExtractedFile, ImportLine } from './extract-module.js'

export interface ModuleFile {
  readonly name: string
  readonly text: string
}

export interface ModuleStyle {
  readonly isCommonJs: boolean
  readonly quote: "'" | '"'
  readonly hasSemicolons: boolean
}

/** Of what only Node.js reads. */
export const PLAIN_STYLE: ModuleStyle = { isCommonJs: false, quote: "'", hasSemicolons: false }

/** @param path of the file, from the folder of the module */
export function formatModule(file: ExtractedFile, path: string, style: ModuleStyle): ModuleFile {
  const { name, pieces, usesRequire, usesExports, usesPlace, exports, registers, register } = file
  const text = (value: string) => quoted(value, style)
  const end = style.hasSemicolons ? ';' : ''
  const own: ImportLine[] =
    registers.length > 0
      ? [{ exported: 'registerClass', local: register, from: 'threadwise/task', kind: 'import' }]
      : []
  const values = new Set(file.imports.filter(({ kind }) => kind !== 'type').map(({ local }) => local))
  const imports = file.imports.filter(({ kind, local }) => kind !== 'type' || !values.has(local)) // an import of a value is one of its type, too
  const passed = style.isCommonJs ? imports.filter(({ kind }) => kind === 'export') : []
  const head = importLines([...imports.filter((each) => !passed.includes(each)), ...own], style)
  const loader = [
    `import { createRequire } from ${text('node:module')}${end}`,
    `const require = createRequire(new URL(${text(urlPath(path))}, import.meta.url))${end}`,
  ]
  return {
    name,
    text: [
      `// Of ${path}, by threadwise doctor: what the task needs, and nothing else.`,
      ...head,
      ...(usesRequire && !style.isCommonJs ? loader : []),
      ...(usesExports && !style.isCommonJs ? [`const exports = {}${end}`] : []),
      ...(usesPlace ? placeLines(path, style) : []),
      ...(pieces.length > 0 ? ['', pieces.map((each) => withEnd(each, end)).join('\n\n')] : []),
      ...(registers.length > 0 ? ['', ...registers.map((each) => `${register}(${each})${end}`)] : []),
      ...exportLines([...exports], passed, style),
      '',
    ].join('\n'),
  }
}

function urlPath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/')
}

/** Where the file lies that the text is of. */
function placeLines(path: string, style: ModuleStyle): string[] {
  const end = style.hasSemicolons ? ';' : ''
  const text = (value: string) => quoted(value, style)
  const lines = style.isCommonJs
    ? [
        `const __sourceFilename = require(${text('node:path')}).join(__dirname, ${text(path)})`,
        `const __sourceDirname = require(${text('node:path')}).dirname(__sourceFilename)`,
      ]
    : [
        `const __sourceUrl = new URL(${text(urlPath(path))}, import.meta.url).href`,
        `const __sourceFilename = process.getBuiltinModule(${text('node:url')}).fileURLToPath(__sourceUrl)`,
        `const __sourceDirname = process.getBuiltinModule(${text('node:path')}).dirname(__sourceFilename)`,
      ]
  return lines.map((line) => line + end)
}

/** A declaration of a variable is taken without the end of its statement. */
function withEnd(piece: string, end: string): string {
  return /^(const|let|var)\b/.test(piece) && !piece.endsWith(';') ? piece + end : piece
}

function quoted(value: string, { quote }: ModuleStyle): string {
  const inner = JSON.stringify(value).slice(1, -1)
  return quote === '"' ? `"${inner}"` : `'${inner.replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
}

function importLines(imports: readonly ImportLine[], style: ModuleStyle): string[] {
  const grouped = new Map<string, ImportLine[]>()
  for (const line of imports) {
    const key = `${line.kind} ${line.from} ${/^(default|\*|)$/.test(line.exported) ? line.exported + line.local : ' named'}`
    grouped.set(key, [...(grouped.get(key) ?? []), line])
  }
  return [...grouped.values()].map((lines) => importLine(lines, style))
}

/** Of those that one line can name. */
function importLine(lines: readonly ImportLine[], style: ModuleStyle): string {
  const [{ exported, local, from, kind }] = lines as [ImportLine]
  const end = style.hasSemicolons ? ';' : ''
  const place = quoted(from, style)
  const names = (between: string) =>
    `{ ${lines.map((each) => named(each.exported, each.local, between)).join(', ')} }`
  if (kind === 'export') return `export ${exported === '*' ? '*' : names(' as ')} from ${place}${end}`
  if (style.isCommonJs && kind !== 'type') {
    if (exported === '') return `require(${place})${end}`
    const what = exported === '*' || exported === 'default' ? local : names(': ')
    return `const ${what} = require(${place})${end}`
  }
  if (exported === '') return `import ${place}${end}`
  const what = exported === 'default' ? local : exported === '*' ? `* as ${local}` : names(' as ')
  return `import ${kind === 'type' ? 'type ' : ''}${what} from ${place}${kind === 'json' ? " with { type: 'json' }" : ''}${end}`
}

/** @param passed what CommonJS has of other modules, and passes on */
function exportLines(
  exports: readonly (readonly [string, string])[],
  passed: readonly ImportLine[],
  style: ModuleStyle,
): string[] {
  const end = style.hasSemicolons ? ';' : ''
  if (!style.isCommonJs) {
    const names = exports.map(([exported, local]) => named(local, exported, ' as '))
    return names.length === 0 ? [] : ['', `export { ${names.join(', ')} }${end}`]
  }
  const whole = exports.find(([exported]) => exported === 'default')?.[1]
  const names = [
    ...exports
      .filter(([exported]) => exported !== 'default')
      .map(([exported, local]) => named(exported, local, ': ')),
    ...passed.map(({ exported, local, from }) => `${local}: require(${quoted(from, style)}).${exported}`),
  ]
  const table = `{ ${names.join(', ')} }`
  const value = whole === undefined ? table : names.length === 0 ? whole : `Object.assign(${whole}, ${table})`
  return names.length === 0 && whole === undefined ? [] : ['', `module.exports = ${value}${end}`]
}

function named(one: string, other: string, between: string): string {
  return one === other ? one : `${one}${between}${other}`
}

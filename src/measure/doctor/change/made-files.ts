// The texts of the files that a change adds: tasks, the pool, and what passes errors on.

import { specifierIn, type AppStyle } from '../written/app-style.js'

interface PassedTask {
  readonly name: string
  /** By its file. */
  readonly exported: string
}

export function taskFileText(
  tasks: readonly PassedTask[],
  { style, self }: { style: AppStyle; self: string },
): string {
  const { isCommonJs, quote } = style
  const end = style.hasSemicolons ? ';' : ''
  const from = quote + self + quote
  const names = tasks.map(({ name, exported }) => (name === exported ? name : `${exported} as ${name}`))
  if (!isCommonJs) return `export { ${names.join(', ')} } from ${from}${end}\n`
  const lines = tasks.map(
    ({ name, exported }) =>
      `exports.${name} = require(${from})${exported === 'default' ? '' : `.${exported}`}${end}\n`,
  )
  return lines.join('')
}

interface TaskSource {
  readonly names: readonly string[]
  readonly from: string
}

/** Of several files, for one pool. */
export function allTasksText(
  sources: readonly TaskSource[],
  { isCommonJs, quote, hasSemicolons }: AppStyle,
): string {
  const end = hasSemicolons ? ';' : ''
  if (!isCommonJs)
    return sources
      .map(({ names, from }) => `export { ${names.join(', ')} } from ${quote}${from}${quote}${end}\n`)
      .join('')
  return sources
    .flatMap(({ names, from }) =>
      names.map((name) => `exports.${name} = require(${quote}${from}${quote}).${name}${end}\n`),
    )
    .join('')
}

interface PoolFile {
  readonly style: AppStyle
  /** Of the module of tasks, from its own folder. */
  readonly path: string
  /** Of the variable. */
  readonly name: string
  /** What Node.js runs is an ES module. */
  readonly isModule: boolean
  readonly isTypeScript: boolean
}

export function poolText({ style, path, name, isModule, isTypeScript }: PoolFile): string {
  const { isCommonJs, quote } = style
  const end = style.hasSemicolons ? ';' : ''
  const text = (value: string) => quote + value + quote
  const load = (names: string, from: string) =>
    isCommonJs
      ? `const { ${names} } = require(${text(from)})${end}`
      : `import { ${names} } from ${text(from)}${end}`
  const named = style.endings === 'none' ? path.replace(/\.([cm]?)tsx?$/, '.$1js') : specifierIn(style, path)
  const place = isModule
    ? `new URL(${text(named)}, import.meta.url)`
    : `join(__dirname, ${text(named.replace(/^\.\//, ''))})`
  return [
    ...(isModule ? [] : [load('join', 'node:path')]),
    load('threads', 'threadwise'),
    ...(isTypeScript ? [`import type * as Tasks from ${text(specifierIn(style, path))}${end}`] : []),
    '',
    '// Idle threads do not keep the program alive, and end with it.',
    `${isCommonJs ? `exports.${name} =` : `export const ${name} =`} threads${isTypeScript ? '<typeof Tasks>' : ''}(${place})${end}`,
    '',
  ].join('\n')
}

interface Closing {
  /** Names of variables. */
  readonly name: string
  readonly pool: string
  readonly style: AppStyle
  readonly isFastify: boolean
}

export function closeText({ name, pool, style, isFastify }: Closing): string {
  const { quote } = style
  const on = isFastify ? `addHook(${quote}onClose${quote}` : `on(${quote}close${quote}`
  return `\n${name}.${on}, () => ${pool}.close())${style.hasSemicolons ? ';' : ''}`
}

/** Express 4 waits for no handler, so what fails in one has to be passed on. */
export function passErrorsText(style: AppStyle): string {
  const end = style.hasSemicolons ? ';' : ''
  const isTyped = /^\.[cm]?ts/.test(style.ending)
  const { quote } = style
  const head = isTyped
    ? `import type { NextFunction, Request, Response } from ${quote}express${quote}${end}\n\n`
    : ''
  const types = isTyped
    ? [
        '(handler: (req: Request, res: Response, next: NextFunction) => Promise<unknown>)',
        '(req: Request, res: Response, next: NextFunction)',
      ]
    : ['(handler)', '(req, res, next)']
  return `${head}// Express 4 does not wait for a handler: what fails in it is passed on.\n${style.isCommonJs ? 'exports.passErrors =' : 'export const passErrors ='} ${types[0]} => ${types[1]} => {\n  handler(req, res, next).catch(next)${end}\n}${end}\n`
}

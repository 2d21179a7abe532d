// The files of a task that can move: its module, a workload that `threadwise measure` runs as it is, and its inputs.

import {
  chmodSync,
  existsSync,
  lstatSync,
  readFileSync,
  readdirSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join, relative, sep } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { deserialize } from 'node:v8'
import type { ModuleFile } from '../written/format-module.js'
import { makeFolder } from '../../../user/make-folder.js'
import { whyNotOwn, writeOwnOutputBelow } from '../../../user/own-output.js'

/** Ours alone, and never in git. */
export interface OutFolder {
  readonly path: string
  /** Gives its path. */
  write(name: string, text: string): string
  remove(paths: readonly string[]): void
  /** Nothing is left of it where nothing was written. */
  end(): void
}

export function openOutFolder(path: string): OutFolder {
  const wasThere = existsSync(path)
  makeFolder(path, 0o700)
  if (wasThere && readdirSync(path).length === 0) chmodSync(path, 0o700) // from now on it is ours alone
  const ignore = join(path, '.gitignore')
  if (!existsSync(ignore)) writeFileSync(ignore, '*\n', { flag: 'wx' })
  return {
    path,
    write(name, text) {
      const file = join(path, name)
      rmSync(file, { force: true }) // the mode is that of a new file
      writeFileSync(file, text, { mode: 0o600, flag: 'wx' }) // through no link
      return file
    },
    remove: (paths) => paths.forEach((file) => rmSync(file, { force: true })),
    end() {
      if (wasThere || readdirSync(path).some((name) => name !== '.gitignore')) return
      rmSync(ignore)
      rmdirSync(path)
    },
  }
}

/** Where they can be committed; null: something that is not of doctor has that name, and stays as it is. */
export function commitModules(folder: string, files: readonly ModuleFile[]): string[] | null {
  const paths = files.map(({ name }) => join(folder, name))
  if (!paths.every(isOfDoctor)) return null
  files.forEach(({ text }, at) => writeOwnOutputBelow(paths[at]!, text))
  return paths
}

/** A link of another user is not, nor one of one's own to a file that is not there yet: what doctor writes is a file. */
function isOfDoctor(path: string): boolean {
  if (whyNotOwn(path) !== null) return false
  if (!existsSync(path)) return lstatSync(path, { throwIfNoEntry: false }) === undefined
  return /^\/\/ Of .*, by threadwise doctor:/.test(readFileSync(path, 'utf8'))
}

export function writeModules(folder: OutFolder, files: readonly ModuleFile[]): string[] {
  return files.map(({ name, text }) => folder.write(name, text))
}

/** @param plan `module`: its path; `inputs`: lists of arguments, serialized by node:v8, as base64; null: none are written */
export function writeWorkload(
  folder: OutFolder,
  { task, module, inputs: all }: { task: string; module: string; inputs: readonly string[] | null },
): string[] {
  const inputs = all && withinSize(all)
  const lists = inputs?.map((each) => deserialize(Buffer.from(each, 'base64')) as unknown[]) ?? null
  const written = lists && writeInputs(folder, task, { lists, inputs: inputs! })
  const lines = [
    `// npx threadwise measure ${task}.workload.mjs`,
    ...(written?.imports ?? []),
    '',
    'export default {',
    `  module: new URL(${JSON.stringify(besideOf(folder.path, module))}, import.meta.url),`,
    `  task: '${task}',`,
    written
      ? `  inputs: ${written.expression},`
      : '  // inputs: [[1], [2]], the lists of arguments of its calls',
    '}',
    '',
  ]
  return [folder.write(`${task}.workload.mjs`, lines.join('\n')), ...(written ? [written.file] : [])]
}

/** Characters. A measurement needs some inputs, not all that were seen: those of one app had 17 MB. */
const MOST_INPUTS = 4_000_000

function withinSize(inputs: readonly string[]): readonly string[] {
  let size = 0
  return inputs.filter(({ length }, at) => (size += length) <= MOST_INPUTS || at === 0)
}

function besideOf(folder: string, module: string): string {
  const path = relative(folder, module).split(sep).map(encodeURIComponent).join('/')
  return path.startsWith('.') ? path : `./${path}`
}

interface Written {
  file: string
  imports: string[]
  expression: string
}

/** As JSON where that says all, so that one can read what is kept. */
function writeInputs(
  folder: OutFolder,
  task: string,
  { lists, inputs }: { lists: unknown[][]; inputs: readonly string[] },
): Written {
  const name = (end: string) => `${task}.inputs.${end}`
  const read = (end: string) => `readFileSync(new URL('./${name(end)}', import.meta.url), 'utf8')`
  const imports = ["import { readFileSync } from 'node:fs'"]
  const json = jsonOf(lists)
  if (json !== null)
    return { file: folder.write(name('json'), json), imports, expression: `JSON.parse(${read('json')})` }
  return {
    file: folder.write(name('txt'), `${inputs.join('\n')}\n`),
    imports: [...imports, "import { deserialize } from 'node:v8'"],
    expression: `${read('txt')}.trim().split('\\n').map((line) => deserialize(Buffer.from(line, 'base64')))`,
  }
}

function jsonOf(lists: unknown[][]): string | null {
  try {
    const json = JSON.stringify(lists, null, 1)
    return isDeepStrictEqual(JSON.parse(json), lists) ? json : null
  } catch {
    return null // a bigint, or a circle
  }
}

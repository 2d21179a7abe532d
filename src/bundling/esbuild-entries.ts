// esbuild: a plugin cannot add an entry to a build, so each task module is a build of its own, with the same options.

import { readFile, writeFile } from 'node:fs/promises'
import { dirname, extname, join, resolve } from 'node:path'
import type { EsbuildPlugin } from 'unplugin'
import { findMissing, findTaskModules, nothingThere, type FoundModule } from './find-task-modules.js'
import { expressionOf, outputName, withWays } from './name-outputs.js'
import { replaceEach } from './replace-places.js'
import { workerCode, writeWorker } from './page-workers.js'

type Build = Parameters<EsbuildPlugin['setup']>[0]
type Result = Parameters<Parameters<Build['onEnd']>[0]>[0]
/** Path of each task module -> its build. A task module may name others, and itself. */
type Builds = Map<string, Promise<Result>>

const NAME = 'threadwise'

export function buildWithEsbuild(build: Build): void {
  const builds: Builds = new Map()
  build.initialOptions.metafile = true
  build.onStart(() => builds.clear())
  findIn(build, builds, true)
  build.onEnd(async (result) => {
    const results = new Set([result])
    while (results.size <= builds.size)
      for (const other of await Promise.all(builds.values())) results.add(other)
    await setWays([...results], build, [...builds.keys()])
    for (const other of results) if (other !== result) result.outputFiles?.push(...(other.outputFiles ?? []))
  })
}

/** `isProgram`: else it is a task module, which may wait for no other one: that may name it too. */
function findIn(build: Build, builds: Builds, isProgram: boolean): void {
  const { format, loader } = build.initialOptions
  const asItIs = (contents: string, path: string) => {
    const own = extname(path)
    const usual = own.slice(1).replace(/^[mc]/, '') as 'js' | 'jsx' | 'ts' | 'tsx'
    return { contents, loader: loader?.[own] ?? usual, resolveDir: dirname(path) }
  }
  const extension = extensionOf(build)
  build.onLoad({ filter: /\.[mc]?[jt]sx?$/ }, async ({ path }) => {
    const code = await readFile(path, 'utf8')
    const found = findTaskModules(code, path)
    const warnings = warningsOf(code, path)
    if (found.length === 0) return warnings.length > 0 ? { ...asItIs(code, path), warnings } : undefined
    const replacement = (place: FoundModule) => {
      const file = place.isForPage ? writeWorker(place.file) : place.file
      if (!builds.has(file)) builds.set(file, buildAlone(build, file, builds))
      const way = `./${outputName(file)}${extension}`
      const expression = expressionOf(way, { ...place, file }, format === 'esm' || place.isForPage)
      return place.isForPage ? workerCode(expression) : expression
    }
    const replaced = replaceEach(code, found, { path, replacement })
    const watchFiles = isProgram ? await inputsOf([...builds.values()], build) : []
    const contents = `${replaced.code}\n//# sourceMappingURL=${replaced.map.toUrl()}`
    return { ...asItIs(contents, path), watchFiles, warnings }
  })
}

function warningsOf(code: string, path: string) {
  return findMissing(code, path).map(({ start, name }) => {
    const before = code.slice(0, start).split('\n')
    const lineText = code.split('\n')[before.length - 1]!
    const location = { file: path, line: before.length, column: before.at(-1)!.length, lineText }
    return { text: nothingThere(name), location }
  })
}

/** What is to be watched for the program, which does not import it. A build that fails is told when all have ended. */
async function inputsOf(builds: readonly Promise<Result>[], build: Build): Promise<string[]> {
  const results = await Promise.allSettled(builds)
  const folder = resolve(build.initialOptions.absWorkingDir ?? '')
  return results.flatMap((result) => {
    if (result.status === 'rejected') return failedIn(result.reason, folder)
    return Object.keys(result.value.metafile?.inputs ?? {}).map((file) => resolve(folder, file))
  })
}

function failedIn(error: unknown, folder: string): string[] {
  const { errors = [] } = Object(error) as { errors?: { location?: { file: string } | null }[] }
  return errors.flatMap(({ location }) => (location ? [resolve(folder, location.file)] : []))
}

/** As the program ends, by which Node knows what it is. */
function extensionOf({ initialOptions: { outExtension, outfile = '' } }: Build): string {
  const [own] = /\.[mc]?js$/.exec(outfile) ?? []
  return outExtension?.['.js'] ?? own ?? '.js'
}

function buildAlone(build: Build, file: string, builds: Builds): Promise<Result> {
  const { plugins = [] } = build.initialOptions
  const own = { name: NAME, setup: (inner: Build) => findIn(inner, builds, false) }
  return build.esbuild.build({
    ...build.initialOptions,
    entryPoints: [{ in: file, out: outputName(file) }],
    entryNames: '[name]',
    outdir: outputFolder(build),
    outfile: undefined,
    outExtension: { ...build.initialOptions.outExtension, '.js': extensionOf(build) },
    stdin: undefined,
    splitting: false,
    plugins: [...plugins.filter(({ name }) => name !== NAME), own],
  })
}

function outputFolder({ initialOptions: { absWorkingDir = '', outdir, outfile = '' } }: Build): string {
  return resolve(absWorkingDir, outdir ?? dirname(outfile))
}

/** Each place names a file as if it lay beside the code. */
async function setWays(results: readonly Result[], build: Build, files: readonly string[]): Promise<void> {
  const names = files.map((file) => outputName(file) + extensionOf(build))
  const paths = new Map(names.map((name) => [name, join(outputFolder(build), name)]))
  for (const { outputFiles, metafile } of results) {
    for (const file of outputFiles ?? []) {
      const text = withWays(file.text, file.path, paths)
      if (text !== file.text) file.contents = new TextEncoder().encode(text)
    }
    if (outputFiles) continue
    for (const [output, { entryPoint }] of Object.entries(metafile?.outputs ?? {})) {
      const path = resolve(build.initialOptions.absWorkingDir ?? '', output)
      const isCode = /\.[mc]?js$/.test(path) || (entryPoint !== undefined && !/\.css$/.test(path)) // a program of a command has no ending
      if (!isCode || dirname(path) === outputFolder(build)) continue
      const code = await readFile(path, 'utf8')
      const text = withWays(code, path, paths)
      if (text !== code) await writeFile(path, text)
    }
  }
}

// The code of the workers, so that they start quickly and take little memory.
//
//   processes   process-entry.cjs: one file
//   threads     thread-entry.cjs: what runs the rest (thread-loader.cjs)
//               thread-code.js: the rest, as text in parts (thread-parts.mjs), which main puts into shared memory once for all workers
//               thread-entry.cjs knows nothing of the parts: a program that runs while the package is updated starts its next workers
//               with the new file and the old text.
//
// Each step was measured, by what two threads need until their first result, or by the memory of nine (Node 24):
// - One file instead of a dozen modules: 54 instead of 66 ms, and a megabyte less for each thread.
// - CommonJS, which Node starts without its loader of ES modules: 96 instead of 99 ms of CPU time (medians of 60 runs by turns;
//   bare threads take 76).
// - What few calls need only when it is needed, and as text: V8 takes 30 to 50 ns for each letter that it reads while it is cold, also if
//   only to skip it; text costs nothing. Until the first result 35.2 instead of 35.7 ms (medians of 60 runs by turns; bare threads 30.4).
//   Not a second file: of a task that fails as too many files are open, nobody could be told then.
// - Parts: for each letter of what it compiles, or skips, at one time V8 takes 12 bytes, and glibc keeps what a thread once had.
//   With everything at one time a worker had 2.0 MB of malloc, with parts of 8 KB it has 1.67, as a bare one (nine workers, 3 runs).
// - Short names, though they appear in stack traces of tasks: 0.5 MB less for each thread, and 1 to 2 ms until the first
//   result. The text lies in the young generation of each worker's heap, and often was what made it collect one time more.
// - Few names: each worker's V8 keeps a table of all names, which takes 256 KB more from 10,923 of them on. Node 24 has 10,500.
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { relative, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { cutIntoParts, ENTRY, LATER } from './thread-parts.mjs'

const loader = fileURLToPath(new URL('thread-loader.cjs', import.meta.url))

const common = {
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  logLevel: 'warning',
  minify: true,
  lineLimit: 120,
  write: false,
}

/** Makes DIST/processes/process-entry.cjs of what tsc has made. */
export async function bundleProcessEntry(dist) {
  const { outputFiles } = await build({
    ...common,
    entryPoints: [`${dist}runtime/processes/process-entry.js`],
  })
  writeFileSync(`${dist}runtime/processes/process-entry.cjs`, outputFiles[0].text)
  removeSource(`${dist}runtime/processes/process-entry`)
}

/** Makes DIST/threads/thread-entry.cjs and thread-code.js of what tsc has made. */
export async function bundleThreadEntry(dist) {
  const layout = await cutIntoParts(dist, common)
  const { parts, files, atOnce } = layout
  const wanted = new Set()
  const compile = async (contents, part) => {
    const plugins = [fromOtherParts(layout, part)]
    const { outputFiles } = await build({ ...common, stdin: { contents, resolveDir: dist }, plugins })
    const { text } = outputFiles[0]
    const whole = text.replaceAll('\\\n', '') // a line may end within a string
    for (const [, name] of whole.matchAll(/\$(?:from|later)\((?:\d+,)?"([^"]+)"\)/g)) wanted.add(name)
    return text
  }
  const texts = []
  for (let part = parts.length - 1; part >= 0; part--) {
    const names = [...wanted].filter((name) => parts[part].includes(files[parseInt(name)]))
    const all = part < atOnce ? [] : await functionsOfAll(layout, LATER[part - atOnce])
    const contents = gives(files, [...new Set([...all, ...names])])
    texts.unshift(await compile(part === atOnce - 1 ? `import './${ENTRY[1]}'` : contents, part))
  }
  texts[atOnce - 1] = withImportOfFile(texts[atOnce - 1])
  writeThreadCode(dist, texts, atOnce)
  removeSource(`${dist}runtime/threads/thread-entry`)
  copyFileSync(loader, `${dist}runtime/threads/thread-entry.cjs`)
}

function withImportOfFile(text) {
  const [before, after, ...more] = text.split(/\bimport(?=\()/)
  if (after === undefined || more.length > 0) throw new Error('one import() is expected, that of the tasks')
  return `${before}$import${after}`
}

/** Reads, in place of the files of other parts, what gets their exports. */
function fromOtherParts({ dist, files, parts, atOnce }, part) {
  const setup = (bundle) =>
    bundle.onLoad({ filter: /\.js$/ }, async ({ path }) => {
      const file = relative(dist, path).replaceAll(sep, '/')
      const other = parts.findIndex((each) => each.includes(file))
      if (other === part) return undefined
      const exported = await exportsOf(path)
      const name = (each) => `"${files.indexOf(file)}.${each}"`
      if (other < part)
        return { contents: constants(exported, (each) => `/* @__PURE__ */ $from(${name(each)})`) }
      if (other < atOnce) throw new Error(`${file} is needed before it is there`)
      return { contents: lateFunctions(exported, (each) => `$later(${other},${name(each)})`) }
    })
  return { name: 'from-other-parts', setup }
}

/** Numbers as they are: V8 does not take a variable of another function for a constant, which cost half of the no-ops. */
function constants(exported, get) {
  const lines = Object.entries(exported).map(
    ([name, value]) => `export const ${name} = ${isNumber(value) ? value : get(name)}`,
  )
  return lines.join('\n')
}

/** Each in place of itself, once it is there. */
function lateFunctions(exported, get) {
  const functions = functionsOf(exported).map(
    (name) => `export let ${name} = (...args) => (${name} = ${get(name)})(...args)`,
  )
  const numbers = Object.keys(exported).filter((name) => isNumber(exported[name]))
  return [...functions, ...numbers.map((name) => `export const ${name} = ${exported[name]}`)].join('\n')
}

const isNumber = (value) => typeof value === 'number'

async function exportsOf(path) {
  if (/^export let/m.test(readFileSync(path, 'utf8')))
    throw new Error(`other parts would not see what changes in ${path}`)
  return import(pathToFileURL(path).href)
}

function functionsOf(exported) {
  return Object.keys(exported).filter((name) => typeof exported[name] === 'function' && /^[a-z]/.test(name)) // no class
}

async function functionsOfAll({ dist, files }, group) {
  const names = group.map(async (file) =>
    functionsOf(await exportsOf(dist + file)).map((name) => `${files.indexOf(file)}.${name}`),
  )
  return (await Promise.all(names)).flat()
}

/** Imports what other parts want, and gives it to them. */
function gives(files, names) {
  const imports = names.map((name, i) => {
    const [file, exported] = name.split('.')
    return `import { ${exported} as x${i} } from './${files[file]}'`
  })
  return `${imports.join('\n')}\n$give({ ${names.map((name, i) => `'${name}': x${i}`).join(', ')} })`
}

/** Line by line, so that a stack trace leads to where a function is. */
const FIRST_LINE = 4

function writeThreadCode(dist, texts, atOnce) {
  const before = (i) => texts.slice(0, i).join('')
  const lineOf = (i) => FIRST_LINE - 1 + before(i).split('\n').length - 1
  const places = texts.map((text, i) => [before(i).length, before(i).length + text.length, lineOf(i)])
  const code = texts.join('')
  if (/[^\0-\x7f]/.test(code)) throw new Error('the code of threads must be of letters of one byte')
  const literal = code.replace(/[\\`]|\$(?=\{)/g, '\\$&')
  const lines = [
    '// Made by scripts/worker-bundles.mjs.',
    `export const threadParts = ${JSON.stringify({ places, atOnce })}`,
    'export const threadCode =',
    `\`${literal}\``,
  ]
  writeFileSync(`${dist}runtime/threads/thread-code.js`, `${lines.join('\n')}\n`)
}

function removeSource(path) {
  for (const end of ['js', 'd.ts']) rmSync(`${path}.${end}`)
}

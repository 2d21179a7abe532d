// Moves functions of an app as doctor says: each is replaced by a call into a pool with its task module, and its callers await it where the
// conditions name them.
import { readFileSync, writeFileSync } from 'node:fs'
import { parse } from 'acorn'

const isFunction = ({ type }) =>
  /^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(type)

/** @param {{ name: string, file: string, line: number, conditions: object[], task: { name: string } }[]} rows with absolute paths */
export function moveFunctions(rows) {
  const edits = new Map()
  const sources = new Map()
  const sourceOf = (file) => {
    if (!sources.has(file)) sources.set(file, read(file))
    return sources.get(file)
  }
  const edit = (file, start, end, text) => {
    if (!edits.has(file)) edits.set(file, new Map())
    edits.get(file).set(`${start} ${end} ${text}`, { start, end, text })
  }
  for (const row of rows) replaceFunction(row, sourceOf(row.file), edit)
  const moved = rows.map(({ file, name, line }) => ({
    file,
    node: functionAt(sourceOf(file), { name, line }),
  }))
  for (const { conditions } of rows)
    for (const condition of conditions)
      if (condition.kind === 'await-callers')
        awaitCall(condition, { source: sourceOf(condition.file), moved, edit })
      else if (condition.kind === 'error-class') registerClassOf(condition, sourceOf(condition.file), edit)
  for (const [file, list] of edits) writeFileSync(file, applied(sourceOf(file).text, [...list.values()]))
}

/** @returns the class that the app is to register beside it; null: the condition asks for something else */
export function classToRegister({ kind, text }) {
  return kind === 'error-class'
    ? (/^the app calls registerClass\((\w+)\) beside the class/.exec(text)?.[1] ?? null)
    : null
}

function registerClassOf(condition, { text }, edit) {
  const task = JSON.stringify(new URL('../../build/task.js', import.meta.url).href)
  const line = `\nimport { registerClass as register${classToRegister(condition)} } from ${task}\nregister${classToRegister(condition)}(${classToRegister(condition)})\n`
  edit(condition.file, text.length, text.length, line)
}

function read(file) {
  const text = readFileSync(file, 'utf8')
  const options = {
    ecmaVersion: 'latest',
    locations: true,
    allowAwaitOutsideFunction: true,
    allowReturnOutsideFunction: true,
  }
  let program
  try {
    program = parse(text, { ...options, sourceType: 'module' })
  } catch {
    program = parse(text, { ...options, sourceType: 'script' })
  }
  const nodes = []
  const visit = (node, path) => {
    nodes.push({ node, path })
    for (const value of Object.values(node).flat())
      if (value && typeof value.type === 'string') visit(value, [...path, node])
  }
  visit(program, [])
  return { file, text, nodes }
}

function functionAt({ nodes, file }, { name, line }) {
  const onLine = nodes
    .filter(({ node }) => isFunction(node) && node.loc.start.line === line)
    .map(({ node }) => node)
  if (onLine.length === 0) throw new Error(`no function ${name} at ${file}:${line}`)
  return onLine[0]
}

function isOnLine({ loc }, line) {
  return loc.start.line <= line && line <= loc.end.line
}

function replaceFunction(row, source, edit) {
  const node = functionAt(source, row)
  const call = `globalThis.movedTasks.${row.task.name}(...args)`
  if (node.type === 'ArrowFunctionExpression')
    return edit(row.file, node.start, node.end, `(...args) => ${call}`)
  const from = source.text.indexOf('(', node.id?.end ?? node.start)
  edit(row.file, from, node.end, `(...args) { return ${call} }`)
}

/** Such as "handler awaits burn, and is async" and "handler awaits isGood by Promise.all around map". */
function awaitCall({ text, file, line }, { source, moved, edit }) {
  const { nodes } = source
  const [, called] = / (?:awaits|calls) (?:\S+\.)?([\w$]+|its caller)\b/.exec(text) ?? []
  const [, around] = /Promise\.all around (\w+)/.exec(text) ?? []
  const wanted = around ?? called
  // What a file gives as its default has a name where it is called.
  const isWanted = (callee) =>
    wanted === 'default' ? callee.type === 'Identifier' : nameOf(callee) === wanted
  const calls = nodes.filter(({ node }) => node.type === 'CallExpression' && isWanted(node.callee) && lineOf(node.callee) === line) // prettier-ignore
  // A call of a route, whose name is no word, out of a table.
  if (calls.length === 0 && / awaits \S*\//.test(text) && nodes.some(({ node }) => node.type === 'AwaitExpression' && isOnLine(node, line))) return // prettier-ignore
  if (calls.length === 0)
    throw new Error(`no call of ${wanted} at ${file}:${line}, of which is said: ${text}`)
  for (const { node, path } of calls) {
    if (
      moved.some((each) => each.file === file && each.node.start <= node.start && node.end <= each.node.end)
    )
      continue
    edit(file, node.start, node.start, around ? '(await Promise.all(' : '(await ')
    edit(file, node.end, node.end, around ? '))' : ')')
    const outer = path.findLast(isFunction)
    if (outer && !outer.async) edit(file, startOf(outer, path), startOf(outer, path), 'async ')
  }
}

/** Of a method the word stands before its name. */
function startOf(node, path) {
  const parent = path[path.indexOf(node) - 1]
  const isMethod = parent.type === 'MethodDefinition' || (parent.type === 'Property' && parent.method)
  return isMethod ? parent.key.start : node.start
}

const nameOf = (callee) => callee.property?.name ?? callee.name
const lineOf = (callee) => (callee.property ?? callee).loc.start.line

function applied(text, edits) {
  const order = edits.toSorted((a, b) => b.start - a.start || b.end - a.end)
  let result = text
  for (const { start, end, text: put } of order) {
    const isInside = edits.some((each) => each.end > each.start && each.start < start && end < each.end)
    if (!isInside) result = result.slice(0, start) + put + result.slice(end)
  }
  return result
}

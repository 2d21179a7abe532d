// The edits of a function that waits for Node's own: each call of a `...Sync` function becomes one of its form that gives a promise.
//
//   fs.readFileSync(path)     await fs.promises.readFile(path)
//   readFileSync(path)        await promises.readFile(path)       its import names `promises` in its place
//   crypto.scryptSync(...)    await scryptAsync(...)              const scryptAsync = promisify(crypto.scrypt), behind the imports
//   gzipSync(text)            await gzipAsync(text)               the same, and its import names `gzip` in its place

import { extname } from 'node:path'
import type { Node } from 'acorn'
import type { Variable } from 'eslint-scope'
import { memberName, part, parts, word } from '../source/ast.js'
import { isOfFile, referencesTo, topVariables, variableOf } from '../source/free-names.js'
import { importOf, type Imported } from '../source/imports.js'
import { parentOf } from '../source/parents.js'
import { nodesOf, type ParsedScript } from '../source/script-functions.js'
import { isTypeScript } from '../written/app-style.js'
import { awaitCall, functionAround } from './change-calls.js'
import { addLoad, noteUnneeded, removeSpecifiers, specifiersOf } from './load-lines.js'
import { inQuotes, type Plan } from './plan.js'
import { Refused } from './refused.js'
import type { UsedFunction } from './uses.js'

/** Of `node:fs` those that change nothing: what others read or write between two calls could come in another order. */
const FORMS: Readonly<Record<string, RegExp>> = {
  fs: /^(readFile|readdir|stat|lstat|readlink|realpath|access)$/,
  crypto: /^(pbkdf2|scrypt|hkdf|generateKeyPair|generateKey|generatePrime|checkPrime)$/,
  zlib: /^(deflate|deflateRaw|gzip|gunzip|inflate|inflateRaw|unzip|brotliCompress|brotliDecompress|zstdCompress|zstdDecompress)$/,
}

interface Blocking {
  readonly call: Node
  /** Such as "scryptSync" and "scrypt". */
  readonly name: string
  readonly form: string
  /** "fs", and as it was written, such as "node:fs". */
  readonly module: string
  readonly specifier: string
  readonly variable: Variable
  /** It stands for the whole module. */
  readonly isWhole: boolean
}

/** Names of an import that are not needed any more, with what is needed in their place. */
interface Renamed {
  readonly variable: Variable
  readonly name: string
}

/** @returns the names of the functions that blocked, each with its other form. @throws Refused */
export function usePromiseForms(plan: Plan, movers: readonly UsedFunction[]): string[][] {
  const found = movers.flatMap((used) => {
    const all = blockingCalls(plan, used)
    const calls = all.filter(({ module, form }) => FORMS[module]!.test(form))
    const [other] = all
    if (calls.length === 0)
      throw new Refused(
        other
          ? `${other.name} changes something, or has no form that gives the same`
          : 'the call that blocks is not in its own source',
        plan.app.at(used.script, other?.call ?? used.node),
      )
    return calls.map((each) => ({ ...each, used }))
  })
  if (found.some(({ module }) => module === 'fs')) {
    checkNoWrites(plan)
    plan.changing.opensFiles = true
  }
  for (const each of found) {
    const { used, call, name, module } = each
    const callee = part(call, 'callee')!
    plan.edits.replace(used.script, callee, calleeText(plan, used.script, each))
    awaitCall(plan.changing, used.script, call, { ...used, name, steps: 0 })
    if (module !== 'fs') loadPromisify(plan, used.script, each.specifier)
  }
  for (const script of new Set(found.map(({ used }) => used.script)))
    renameImports(
      plan,
      script,
      found.filter(({ used }) => used.script === script),
    )
  return [...new Map(found.map(({ name, form }) => [name, [name, form]])).values()]
}

/** What one request reads could be written by another one, before the first writes what it has made of it. */
function checkNoWrites({ app }: Plan): void {
  for (const script of app.scripts)
    for (const node of nodesOf(script)) {
      const callee = node.type === 'CallExpression' ? part(node, 'callee') : null
      const name = memberName(callee) ?? word(callee, 'name') ?? ''
      if (WRITES.test(name) && functionAround(script, node) !== null)
        throw new Refused(
          `the app writes files, too (${name}), and requests could come between a read and a write`,
          app.at(script, node),
        )
    }
}

const WRITES =
  /^(writeFile|appendFile|truncate|rm|unlink|rename|copyFile|createWriteStream|write|ftruncate|cp|mkdtemp|symlink|link)(Sync)?$/

function blockingCalls({ app }: Plan, { script, node }: UsedFunction): Blocking[] {
  const calls = nodesOf(script).filter(
    (each) => each.type === 'CallExpression' && each.start >= node.start && each.end <= node.end,
  )
  return calls.flatMap((call): Blocking[] => {
    const callee = part(call, 'callee')
    const held = callee?.type === 'MemberExpression' ? part(callee, 'object') : callee
    const variable = held?.type === 'Identifier' ? variableOf(script, held) : null
    const imported = variable && importedBy(variable)
    if (!imported) return []
    const module = imported.module.replace(/^node:/, '')
    const isWhole = /^(\*|default)$/.test(imported.exported)
    const name = isWhole === (held === callee) ? null : isWhole ? memberName(callee) : imported.exported
    const form = /^(\w+)Sync$/.exec(name ?? '')?.[1]
    if (!form || !FORMS[module]) return []
    const why =
      whyOther(script, call, form) ??
      (isTypeScript({ ending: extname(app.pathOf(script)) }) && OVERLOADED.test(form)
        ? 'has types that promisify does not keep'
        : null)
    if (why !== null) throw new Refused(`${name} ${why}`, app.at(script, call))
    return [{ call, name: name!, form, module, specifier: imported.module, variable: variable, isWhole }]
  })
}

function importedBy(variable: Variable): Imported | null {
  const [definition] = variable.defs
  return definition ? importOf(definition, variable) : null
}

/** Of several forms TypeScript takes the last one. */
const OVERLOADED = /^(scrypt|generatePrime|checkPrime)$/

/** Null: the other form takes the same. */
function whyOther(script: ParsedScript, call: Node, form: string): string | null {
  const [first, second] = parts(call, 'arguments')
  const definition = first?.type === 'Identifier' ? variableOf(script, first)?.defs[0] : null
  const opener = part(part(definition?.node as unknown as Node, 'init'), 'callee')
  const isNumber = first?.type === 'Literal' && /^\d/.test(word(first, 'raw') ?? '')
  if (
    form === 'readFile' &&
    (isNumber || /^openSync$/.test(memberName(opener) ?? word(opener, 'name') ?? ''))
  )
    return 'is given an open file'
  if (!/^l?stat$/.test(form) || !second) return null
  const isKnown = (each: Node) => /^bigint$/.test(word(part(each, 'key'), 'name') ?? '')
  const isPlain = second.type === 'ObjectExpression' && parts(second, 'properties').every(isKnown)
  return isPlain ? null : 'is given options that its other form does not have'
}

function calleeText(
  { constants, styleFor }: Plan,
  script: ParsedScript,
  { call, module, form, isWhole, variable }: Blocking,
): string {
  const held = part(part(call, 'callee'), 'object')
  const path = isWhole ? `${script.text.slice(held!.start, held!.end)}.` : ''
  if (module === 'fs') return `${path}promises.${form}`
  const [name, value] = [`${form}Async`, `promisify(${path}${form})`]
  if (isTaken(script, name) || !isOfFile(script, variable)) return value
  const known = constants.get(script) ?? new Map<string, string>()
  if (!known.has(name))
    known.set(name, `const ${name} = ${value}${styleFor(script).hasSemicolons ? ';' : ''}`)
  constants.set(script, known)
  return name
}

/** @param beside a module of Node.js as the file names it: with `node:`, or without */
function loadPromisify(plan: Plan, script: ParsedScript, beside: string): void {
  const { app, lines, styleFor } = plan
  const known = topVariables(script).find(({ name }) => name === 'promisify')
  const imported = known && importedBy(known)
  if (imported && /^(node:)?util$/.test(imported.module) && imported.exported === 'promisify') return
  if (isTaken(script, 'promisify'))
    throw new Refused('its file has another `promisify`', app.at(script, script.body[0]!))
  const style = styleFor(script)
  const from = inQuotes(style, beside.startsWith('node:') ? 'node:util' : 'util')
  const end = style.hasSemicolons ? ';' : ''
  const line = style.isCommonJs
    ? `const { promisify } = require(${from})${end}`
    : `import { promisify } from ${from}${end}`
  if (!lines.get(script)?.includes(line)) addLoad(plan, script, line)
}

/** An import names what is called now: in place of what nobody calls any more, or beside it. */
function renameImports(plan: Plan, script: ParsedScript, calls: readonly Blocking[]): void {
  const named = calls.filter(({ isWhole }) => !isWhole)
  const renamed = new Map<string, Renamed>()
  for (const { variable, module, form } of named) {
    const name = module === 'fs' ? 'promises' : form
    renamed.set(`${variable.name} ${name}`, { variable, name })
  }
  const written = new Set<string>()
  for (const { variable, name } of renamed.values()) {
    const specifier = specifierOf(variable)
    const isThere = written.has(name) || isImported(script, variable, name)
    if (!isThere && isTaken(script, name))
      throw new Refused(`its file has another \`${name}\``, plan.app.at(script, specifier))
    written.add(name)
    const isGone = referencesTo(script, variable).every(
      ({ init, identifier }) =>
        init || named.some(({ call }) => part(call, 'callee') === (identifier as unknown)),
    )
    if (isGone && isThere) dropSpecifier(plan, script, specifier)
    else if (isGone) plan.edits.replace(script, specifier, name)
    else if (!isThere) plan.edits.insert(script, specifier.end, `, ${name}`)
  }
}

/** `name` of `import { name as other }`, or the same of `require`. */
function specifierOf({ defs: [definition], name }: Variable): Node {
  const node = definition!.node as unknown as Node
  return (
    parts(part(node, 'id'), 'properties').find((each) => word(part(each, 'value'), 'name') === name) ?? node
  )
}

function dropSpecifier(plan: Plan, script: ParsedScript, specifier: Node): void {
  const statement = statementOf(script, specifier)
  if (specifiersOf(statement).length > 1) removeSpecifiers(plan.edits, script, [specifier], statement)
  else noteUnneeded(plan, script, statement)
}

function statementOf(script: ParsedScript, { start, end }: Node): Node {
  return script.body.find((each) => each.start <= start && each.end >= end)!
}

/** From the same module, by its own name. */
function isImported(
  script: ParsedScript,
  { defs: [definition], name: beside }: Variable,
  name: string,
): boolean {
  const variable = topVariables(script).find((each) => each.name === name)
  const imported = variable && importedBy(variable)
  const other = importOf(definition!, { name: beside } as Variable)
  return imported?.exported === name && imported.module === other?.module
}

/** By a variable, or by something that is no member and no key. */
function isTaken(script: ParsedScript, name: string): boolean {
  return nodesOf(script).some((each) => {
    if (each.type !== 'Identifier' || word(each, 'name') !== name) return false
    const parent = parentOf(script, each)
    const isKey = part(parent, 'key') === each && part(parent, 'value') !== each
    return !isKey && part(parent, 'property') !== each
  })
}

// Values that a file reads when it is loaded: `JSON.parse(readFileSync(join(__dirname, 'prices.json')))`. Who loads the file elsewhere gets the same, as
// long as what it reads is the same, and nothing else is done.

import { isBuiltin } from 'node:module'
import type { Node } from 'acorn'
import { memberName, part, parts, rootOf, word } from './ast.js'
import { topVariable } from './free-names.js'
import { importOf } from './imports.js'
import { childNodes, type ParsedScript } from './script-functions.js'

const READING = /^(readFileSync|readdirSync|existsSync|statSync|join|resolve|dirname|basename|fileURLToPath)$/
/** Of texts and lists, and of what is made of them. */
const OF_TEXT =
  /^(split|trim\w*|toString|slice|filter|map|flatMap|sort|toSorted|reverse|replace|replaceAll|match|startsWith|endsWith|includes|to(Lower|Upper)Case|entries|fromEntries|keys|values|from|parse|freeze)$/
const OF_PROCESS = /^(process|globalThis|console)$/
const CONVERTERS = /^(Number|String|Boolean)$/
const MAKERS = /^(URL|Map|Set)$/
const QUIET =
  /^(Identifier|Literal|TemplateElement|MetaProperty|(ArrowFunction|Member|Array|Object|Unary|Binary|Logical|Conditional|Chain)Expression|TemplateLiteral|Property|SpreadElement|(Array|Object)Pattern)$/

export function isReadValue(script: ParsedScript, node: Node): boolean {
  const isAllowed =
    node.type === 'CallExpression'
      ? isReadCall(script, node)
      : node.type === 'NewExpression'
        ? MAKERS.test(word(part(node, 'callee'), 'name') ?? '')
        : QUIET.test(node.type) && word(node, 'operator') !== 'delete'
  return isAllowed && childNodes(node).every((child) => isReadValue(script, child))
}

function isReadCall(script: ParsedScript, node: Node): boolean {
  // A function that is given by its name may do anything.
  if (parts(node, 'arguments').some((each) => each.type === 'Identifier' && isCode(script, each)))
    return false
  const callee = part(node, 'callee')
  if (callee?.type === 'Identifier') {
    const name = word(callee, 'name')!
    return topVariable(script, name) === null
      ? CONVERTERS.test(name)
      : READING.test(name) && isOfNode(script, callee)
  }
  const [name, root] = [memberName(callee), rootOf(callee)]
  if (name === null) return false
  if (root?.type !== 'Identifier') return OF_TEXT.test(name)
  const variable = topVariable(script, word(root, 'name')!)
  if (variable?.defs[0] && importOf(variable.defs[0], variable))
    return READING.test(name) && isOfNode(script, root)
  return OF_TEXT.test(name) && (variable !== null || !OF_PROCESS.test(word(root, 'name')!))
}

/** Imported from a module of Node.js. */
function isOfNode(script: ParsedScript, identifier: Node): boolean {
  const variable = topVariable(script, word(identifier, 'name')!)
  const imported = variable?.defs[0] && importOf(variable.defs[0], variable)
  return imported != null && isBuiltin(imported.module)
}

function isCode(script: ParsedScript, identifier: Node): boolean {
  const [definition] = topVariable(script, word(identifier, 'name')!)?.defs ?? []
  if (!definition) return false
  const init = part(definition.node as unknown as Node, 'init')
  return definition.type !== 'Variable' || /Function|Class/.test(init?.type ?? '')
}

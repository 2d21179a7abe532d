// Who called a function: the stack of a real call.

import type { CallerFrame } from './messages.js'
import { stackNow, urlOf } from './stack-now.js'

const MAX_FRAMES = 40

/** Of the function in which a condition of ours runs, from its caller on. */
export function callersNow(): CallerFrame[] {
  const sites = stackNow(MAX_FRAMES)
  const condition = sites.findIndex((site) => site.isEval() && site.getFunctionName() === 'eval')
  return sites.slice(condition + 2).map(frameOf)
}

function frameOf(site: NodeJS.CallSite): CallerFrame {
  const [type, name] = [site.getTypeName(), site.getFunctionName() ?? '']
  const url = urlOf(site)
  const isBare = url === '' && type !== null && type !== 'Object' && !name.includes('.')
  return {
    url,
    line: (site.getLineNumber() ?? 1) - 1,
    column: (site.getColumnNumber() ?? 1) - 1,
    name: isBare ? `${type}.${name}` : name,
    isAsync: site.isAsync(),
  }
}

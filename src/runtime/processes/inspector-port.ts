// The port on which Node's inspector listens in a child. Each process needs its own: Node would say that the address is in use, and go on without.
// Threads are seen through the inspector of their process.
//
//   in execArgv or env of the pool        the first child that is there has the port as it is given; each other one what the system gives
//   in NODE_OPTIONS of the program        the port is the program's: each child has what the system gives, and does not wait for a debugger
//   on the command line of the program    it is for the program alone: children have no inspector

import { otherRuntime } from '../../primitives/other-runtime.js'

const MENTIONED = /(?:^|\s)["']?--(?:inspect|debug)(?:-brk|-port|-wait)?(?:[=\s]([^\s"']*)|["']|$)/
/** --inspect-port alone opens nothing. */
const OPENS = /(?:^|\s)["']?--(?:inspect|debug)(?:-brk|-wait)?(?:[=\s"']|$)/
const WAITS = /(^|[\s"'])--inspect-(?:brk|wait)(?=[=\s"']|$)/g
const ANY_FREE = '--inspect-port=0'

export interface Inspector {
  /** Options of Node that come last. */
  readonly options: readonly string[]
  readonly env: Record<string, string>
  /** The child is gone. */
  readonly release: () => void
}

/** Ports that children have as they were given. */
const taken = new Set<string>()

interface Given {
  readonly execArgv: readonly string[]
  readonly env: Record<string, string>
}

/** For the next child. `given`: as the pool has it, with what it has inherited. */
export function inspectorOf({ execArgv, env }: Given): Inspector {
  const none = { options: [], env, release: () => {} }
  if (otherRuntime() !== null) return none
  const { NODE_OPTIONS = '' } = env
  const own = MENTIONED.exec(execArgv.join(' '))
  const isInherited = NODE_OPTIONS === process.env.NODE_OPTIONS
  const found = own ?? MENTIONED.exec(NODE_OPTIONS)
  if (!found) return none
  const quiet = isInherited ? { ...env, NODE_OPTIONS: NODE_OPTIONS.replace(WAITS, '$1--inspect') } : env
  const port = found[1] === undefined || found[1] === '' ? 'the usual one' : found[1]
  if (isOfProgram() || (!own && isInherited) || taken.has(port))
    return { ...none, env: quiet, options: [ANY_FREE] }
  taken.add(port)
  return { ...none, env: quiet, release: () => taken.delete(port) }
}

/** It is being inspected itself, perhaps on the same port. */
function isOfProgram(): boolean {
  return OPENS.test(process.execArgv.join(' ')) || OPENS.test(process.env.NODE_OPTIONS ?? '')
}

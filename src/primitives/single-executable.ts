// A single executable, as `node --build-sea` or `bun build --compile` makes it, holds the runtime and the program. What starts
// process.execPath starts that program again, and not the runtime: it would start itself without end. So does Electron's, unless a variable says
// that it is to be Node.

import { ThreadwiseError } from '../errors/errors.js'
import { PROGRAM_NAME } from './eval-globals.js'
import { otherRuntime } from './other-runtime.js'

/** @throws TW_ERR_INVALID_CALL in a single executable. `call` starts the runtime in another process. */
export function checkStartsNode(call: string): void {
  if (isAppInsteadOfNode())
    throw new ThreadwiseError('TW_ERR_INVALID_CALL', {
      call,
      expected: 'an executable of Electron that can be Node (its fuse runAsNode), because it starts that',
      received: 'one that starts the app again',
    })
  if (!isSingleExecutable()) return
  const runtime = otherRuntime() ?? 'Node'
  throw new ThreadwiseError('TW_ERR_INVALID_CALL', {
    call,
    expected: `a program that ${runtime} runs from a file, because it starts ${runtime} again (threads() does not)`,
    received: 'a single executable, which would start itself',
  })
}

/** Variables for a process that is to run our program by process.execPath. */
export function variablesOfRuntime(): Record<string, string> {
  return 'electron' in process.versions ? { ELECTRON_RUN_AS_NODE: '1' } : {}
}

/** Electron's executable was started as Node, and has started the app: who has built it does not allow the other (electronjs.org/docs/latest/tutorial/fuses). */
function isAppInsteadOfNode(): boolean {
  const isApp = (process as { type?: string }).type !== undefined
  return isApp && process.argv.includes('-e') && process.argv.includes(PROGRAM_NAME)
}

/** Where the program of Bun's lies, on Windows after a drive: in a file system of the executable's own. */
const IN_BUN = /^(\/\$bunfs\/|\w:[\\/]~BUN[\\/])/

function isSingleExecutable(): boolean {
  const { Bun, Deno } = globalThis as { Bun?: { main?: string }; Deno?: { build?: { standalone?: boolean } } }
  // Bun and old versions of Node 20 have no such module.
  const { isSea } = (process.getBuiltinModule?.('node:sea') ?? {}) as { isSea?: () => boolean }
  if ('pkg' in process || '__nexe' in process) return true
  return IN_BUN.test(Bun?.main ?? '') || Deno?.build?.standalone === true || isSea?.() === true
}

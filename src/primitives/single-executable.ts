// A single executable, as `node --build-sea` or `bun build --compile` makes it, holds the runtime and the program. What starts
// process.execPath starts that program again, and not the runtime: it would start itself without end.

import { ThreadwiseError } from '../errors/errors.js'
import { otherRuntime } from './other-runtime.js'

/** @throws TW_ERR_INVALID_CALL in a single executable. `call` starts the runtime in another process. */
export function checkStartsNode(call: string): void {
  if (!isSingleExecutable()) return
  const runtime = otherRuntime() ?? 'Node'
  throw new ThreadwiseError('TW_ERR_INVALID_CALL', {
    call,
    expected: `a program that ${runtime} runs from a file, because it starts ${runtime} again (threads() does not)`,
    received: 'a single executable, which would start itself',
  })
}

/** Where the program of Bun's lies, on Windows after a drive: in a file system of the executable's own. */
const IN_BUN = /^(\/\$bunfs\/|\w:[\\/]~BUN[\\/])/

function isSingleExecutable(): boolean {
  const { Bun, Deno } = globalThis as { Bun?: { main?: string }; Deno?: { build?: { standalone?: boolean } } }
  // Bun and old versions of Node 20 have no such module.
  const { isSea } = (process.getBuiltinModule?.('node:sea') ?? {}) as { isSea?: () => boolean }
  return IN_BUN.test(Bun?.main ?? '') || Deno?.build?.standalone === true || isSea?.() === true
}

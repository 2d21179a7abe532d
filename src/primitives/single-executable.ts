// A single executable, as `node --build-sea` makes it, holds Node and the program. What starts process.execPath starts that program
// again, and not Node: it would start itself without end.

import { ThreadwiseError } from '../errors/errors.js'

/** @throws TW_ERR_INVALID_CALL in a single executable. `call` starts Node in another process. */
export function checkStartsNode(call: string): void {
  // Bun and old versions of Node 20 have no such module.
  const { isSea } = (process.getBuiltinModule?.('node:sea') ?? {}) as { isSea?: () => boolean }
  if (!isSea?.()) return
  throw new ThreadwiseError('TW_ERR_INVALID_CALL', {
    call,
    expected: 'a program that Node runs from a file, because it starts Node again (threads() does not)',
    received: 'a single executable, which would start itself',
  })
}

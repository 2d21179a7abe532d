// The command that repeats a run, quoted so that it can be pasted into a POSIX shell. It ends up in reports, so the password of a store is left out.

import { withoutPassword } from '../../primitives/without-password.js'

export function repeatCommand(command: string, args: readonly string[]): string {
  return ['npx threadwise', command, ...args.map((word) => quote(withoutSecret(word)))].join(' ')
}

function withoutSecret(word: string): string {
  return /^(?:--connection=)?(?:rediss?|postgres(?:ql)?):/.test(word) ? withoutPassword(word) : word
}

function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}

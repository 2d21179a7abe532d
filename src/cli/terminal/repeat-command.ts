// The command that repeats a run, quoted so that it can be pasted into a POSIX shell. It ends up in reports, so passwords in addresses are left out.

import { withoutPassword } from '../../primitives/without-password.js'

export function repeatCommand(command: string, args: readonly string[]): string {
  return ['npx threadwise', command, ...args.map((word) => quote(withoutSecret(word)))].join(' ')
}

function withoutSecret(word: string): string {
  return /^(?:--[\w-]+=)?[a-z][a-z\d+.-]*:\/\//i.test(word) ? withoutPassword(word) : word
}

function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}

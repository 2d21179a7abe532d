// The command that repeats a run, quoted so that it can be pasted into a shell: that of POSIX, or on Windows cmd.exe and PowerShell. It ends up in reports, so passwords in addresses are left out.

import { withoutPassword } from '../../primitives/without-password.js'

export function repeatCommand(command: string, args: readonly string[]): string {
  return ['npx threadwise', command, ...args.map((word) => quote(withoutSecret(word)))].join(' ')
}

function withoutSecret(word: string): string {
  return /^(?:--[\w-]+=)?[a-z][a-z\d+.-]*:\/\//i.test(word) ? withoutPassword(word) : word
}

function quote(word: string): string {
  return process.platform === 'win32' ? quoteOnWindows(word) : quoteInPosix(word)
}

function quoteInPosix(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}

/** A backslash before a quote escapes it, and so must be doubled there. */
function quoteOnWindows(word: string): string {
  return /^[\w+=:./\\-]+$/.test(word)
    ? word
    : `"${word.replace(/(\\*)("|$)/g, (_, lines: string, quote: string) => lines + lines + (quote && '\\"'))}"`
}

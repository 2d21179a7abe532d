// The command that repeats a run, quoted so that it can be pasted into a POSIX shell.

export function repeatCommand(command: string, args: readonly string[]): string {
  return ['npx threadwise', command, ...args.map(quote)].join(' ')
}

function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}

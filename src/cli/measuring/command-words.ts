// The words of a command that an option of ours takes as one text.

import { checkOption } from '../../errors/check-options.js'

/** Words of a command, with quotes around those that hold spaces. No shell reads them. */
export function commandWords(option: string, command: string): string[] {
  const words = [...command.matchAll(/"([^"]*)"|'([^']*)'|([^\s"']+)/g)].map(
    ([, a, b, c]) => a ?? b ?? c ?? '',
  )
  checkOption(words.length > 0, option, "a command, such as 'npm run build'", command)
  return words
}

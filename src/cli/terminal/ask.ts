// Asks whoever sits at the terminal.

import { createInterface } from 'node:readline/promises'

const INTERRUPTED = 130

/** Whether somebody reads what is asked, and can answer. */
export function canAsk(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY
}

/** No is also the end of the input; Ctrl-C ends the program. */
export async function askYesOrNo(question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  lines.once('SIGINT', () => {
    process.stderr.write('\n')
    process.exit(INTERRUPTED)
  })
  const ended = new Promise<string>((resolve) => lines.once('close', () => resolve('')))
  const given = lines.question(`${question} [y/N] `).catch(() => '') // by a later Node it rejects at the end
  const answer = await Promise.race([given, ended])
  lines.close()
  return /^y(es)?$/i.test(answer.trim())
}

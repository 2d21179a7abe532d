// Times in the form of cron: minute, hour, day of the month, month, day of the week, in the time of this machine.

import { Cron } from 'croner'
import { checkOption } from '../../errors/check-options.js'

/** @throws TW_ERR_INVALID_OPTION */
export function checkCron(text: unknown): void {
  const expected =
    'five fields of cron, such as "0 4 * * *" (minute, hour, day of the month, month, day of the week)'
  checkOption(typeof text === 'string' && text.trim().split(/\s+/).length === 5, 'cron', expected, text)
  let next: Date | null
  try {
    next = createCron(text as string).nextRun()
  } catch (error) {
    const reason = (error as Error).message.replace(/^CronPattern: /, '')
    return checkOption(false, 'cron', `${expected}; croner says: ${reason}`, text)
  }
  checkOption(next !== null, 'cron', 'a time that comes', text)
}

/** Acts at each of these times until it is stopped, without an action at none. Does not keep the process alive. */
export function createCron(text: string, action?: () => void): Cron {
  const [, , day, , weekday] = text.trim().split(/\s+/)
  // As in cron: where both kinds of days are given, one of them is enough; a star, also one with a step, asks for both.
  const domAndDow = day!.startsWith('*') || weekday!.startsWith('*')
  const options = {
    mode: '5-part',
    domAndDow,
    fixedTimeRule: 'no-wildcard',
    sloppyRanges: true,
    unref: true,
  } as const
  return action ? new Cron(text, options, action) : new Cron(text, options)
}

// Times in the form of cron: minute, hour, day of the month, month, day of the week.

import { checkOption } from '../../errors/check-options.js'

interface Field {
  readonly name: string
  readonly least: number
  readonly most: number
  readonly words?: readonly string[]
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

const FIELDS: readonly Field[] = [
  { name: 'minute', least: 0, most: 59 },
  { name: 'hour', least: 0, most: 23 },
  { name: 'day of the month', least: 1, most: 31 },
  { name: 'month', least: 1, most: 12, words: MONTHS },
  { name: 'day of the week', least: 0, most: 7, words: DAYS }, // 7 is Sunday too
]

/** Between two 29ths of February there may be eight years. */
const MOST_DAYS = 366 * 8 + 1

export interface Cron {
  /** The first such time after the given one, in the time of this machine. */
  next(after: Date): Date
}

/** @throws TW_ERR_INVALID_OPTION */
export function parseCron(text: unknown): Cron {
  const expected =
    'five fields of cron, such as "0 4 * * *" (minute, hour, day of the month, month, day of the week)'
  const parts = typeof text === 'string' ? text.trim().toLowerCase().split(/\s+/) : []
  checkOption(parts.length === FIELDS.length, 'cron', expected, text)
  const sets = parts.map((part, index) => {
    const field = FIELDS[index]!
    const values = parseField(part, field)
    checkOption(
      values !== null,
      'cron',
      `${expected}, with a ${field.name} from ${field.least} to ${field.most}`,
      text,
    )
    return values!
  })
  const [minutes, hours, days, months, weekdays] = sets as [Values, Values, Values, Values, Values]
  const isDay = dayMatcher({
    days,
    weekdays,
    isEither: !parts[2]!.startsWith('*') && !parts[4]!.startsWith('*'),
  })
  const find = (after: Date) =>
    findNext(after, { minutes, hours, isDay: (day) => months.has(day.getMonth() + 1) && isDay(day) })
  checkOption(find(new Date()) !== null, 'cron', 'a time that comes', text)
  return { next: (after) => find(after)! }
}

type Values = ReadonlySet<number>

/** `*`, `5`, `1-5`, `mon-fri`, each with a step (`* /10`), in a list. Null when it is none of these. */
function parseField(text: string, field: Field): Values | null {
  const values = new Set<number>()
  for (const part of text.split(',')) {
    const [, first, last, step] = /^(\*|\w+)(?:-(\w+))?(?:\/(\d+))?$/.exec(part) ?? []
    if (first === undefined || (first === '*' && last !== undefined)) return null
    const from = first === '*' ? field.least : numberOf(first, field)
    const by = step === undefined ? 1 : Number(step)
    // "5/10" is from 5 on.
    const isOpen = first === '*' || (last === undefined && step !== undefined)
    const to = last !== undefined ? numberOf(last, field) : isOpen ? field.most : from
    if (!(from >= field.least && to <= field.most && from <= to && by >= 1)) return null
    for (let value = from; value <= to; value += by) values.add(value)
  }
  return values
}

/** NaN when it is none. */
function numberOf(text: string, { words = [], least }: Field): number {
  if (/^\d+$/.test(text)) return Number(text)
  const at = words.indexOf(text)
  return at < 0 ? NaN : at + least
}

/** As in cron: where both kinds of days are given, one of them is enough. */
function dayMatcher({ days, weekdays, isEither }: { days: Values; weekdays: Values; isEither: boolean }) {
  return (day: Date): boolean => {
    const isDate = days.has(day.getDate())
    const isWeekday = weekdays.has(day.getDay()) || (day.getDay() === 0 && weekdays.has(7))
    return isEither ? isDate || isWeekday : isDate && isWeekday
  }
}

interface Times {
  minutes: Values
  hours: Values
  isDay: (day: Date) => boolean
}

/** Null when there is none. Where clocks are put forward, a time that is left out comes an hour later. */
function findNext(after: Date, { minutes, hours, isDay }: Times): Date | null {
  const [year, month, today] = [after.getFullYear(), after.getMonth(), after.getDate()]
  for (let days = 0; days <= MOST_DAYS; days++) {
    const day = new Date(year, month, today + days)
    if (!isDay(day)) continue
    for (const hour of ordered(hours)) {
      for (const minute of ordered(minutes)) {
        const time = new Date(day.getFullYear(), day.getMonth(), day.getDate(), hour, minute)
        if (time > after) return time
      }
    }
  }
  return null
}

function ordered(values: Values): number[] {
  return [...values].sort((a, b) => a - b)
}

// The times at which requests came, from an access log: common log format, or lines of JSON.

import { readFileSync, statSync } from 'node:fs'
import { checkOption } from '../../errors/check-options.js'
import type { Random } from '../stats/random.js'

const MAX_BYTES = 256 * 1024 * 1024
const LEAST = 20
/** Other lines may be in it: messages of the program that wrote it. */
const MAX_UNREAD = 0.1
const NAMES = [
  'time',
  'timestamp',
  '@timestamp',
  'ts',
  'date',
  'datetime',
  'at',
  'start',
  'time_local',
  'msec',
]
/** A number from here on is in milliseconds: of seconds it would be in the year 5138. */
const MILLISECONDS_FROM = 1e11

export interface AccessLog {
  /** Milliseconds from the first request on, the earliest first. */
  readonly times: number[]
  /** Lines without a time. */
  readonly unread: number
}

/**
 * A log that gives whole seconds does not say when within them: then the requests of a second are spread over it at random.
 *
 * @throws TW_ERR_INVALID_OPTION when the file cannot be read, or most of it holds no times
 */
export function readAccessLog(file: string, random: Random): AccessLog {
  const lines = readLines(file).filter((line) => line.trim() !== '')
  const found = lines.map(timeOfLine)
  const times = found.filter((time) => time !== null)
  const unread = lines.length - times.length
  const sample = lines[found.indexOf(null)]
  checkOption(
    times.length >= LEAST && unread <= MAX_UNREAD * lines.length,
    'arrivals',
    `a log of at least ${LEAST} requests, each line with a time in common log format, or JSON with a field such as time or timestamp (${unread} of ${lines.length} lines have none)`,
    sample ?? file,
  )
  const isCoarse = times.every((time) => time % 1000 === 0)
  const exact = isCoarse ? times.map((time) => time + 1000 * random()) : times
  exact.sort((a, b) => a - b)
  const first = exact[0]!
  checkOption(exact.at(-1)! > first, 'arrivals', 'a log whose requests came at more than one time', file)
  return { times: exact.map((time) => time - first), unread }
}

function readLines(file: string): string[] {
  const info = statSync(file, { throwIfNoEntry: false })
  const isFile = info !== undefined && (info.isFile() || info.isFIFO())
  checkOption(isFile, 'arrivals', 'poisson, even, burst=3x10s, or an access log that is there', file)
  checkOption(
    info!.size <= MAX_BYTES,
    'arrivals',
    `a log of at most ${MAX_BYTES / 1024 / 1024} MB: a part of it, such as its busiest hour`,
    file,
  )
  try {
    return readFileSync(file, 'utf8').split('\n')
  } catch (error) {
    checkOption(false, 'arrivals', `an access log that can be read (${(error as Error).message})`, file)
    throw error
  }
}

/** Milliseconds, or null. */
export function timeOfLine(line: string): number | null {
  return line.trimStart().startsWith('{') ? timeOfJson(line) : timeOfCommon(line)
}

const MONTHS = 'JanFebMarAprMayJunJulAugSepOctNovDec'

/** 127.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] "GET / HTTP/1.0" 200 2326; fractions of seconds as some servers write them. */
function timeOfCommon(line: string): number | null {
  const pattern =
    /\[(\d{1,2})\/([A-Z][a-z]{2})\/(\d{4}):(\d{2}):(\d{2}):(\d{2}(?:\.\d+)?)(?: ([+-])(\d{2}):?(\d{2}))?\]/
  const [, day, month, year, hour, minute, second, sign, zoneHours, zoneMinutes] = pattern.exec(line) ?? []
  const monthAt = MONTHS.indexOf(month ?? '-') / 3
  if (day === undefined || !Number.isInteger(monthAt)) return null
  const local =
    Date.UTC(Number(year), monthAt, Number(day), Number(hour), Number(minute)) + 1000 * Number(second)
  const zoneMs = 60_000 * (60 * Number(zoneHours ?? 0) + Number(zoneMinutes ?? 0))
  return sign === '-' ? local + zoneMs : local - zoneMs
}

function timeOfJson(line: string): number | null {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return null
  }
  const fields = value as Record<string, unknown>
  for (const name of NAMES) {
    const time = Object.hasOwn(fields, name) ? timeOf(fields[name]) : null
    if (time !== null) return time
  }
  return null
}

function timeOf(value: unknown): number | null {
  if (typeof value === 'string' && !/^\s*\d+(\.\d+)?\s*$/.test(value)) {
    const parsed = Date.parse(value)
    return Number.isNaN(parsed) ? timeOfCommon(`[${value}]`) : parsed
  }
  const number = typeof value === 'number' || typeof value === 'string' ? Number(value) : NaN
  if (!Number.isFinite(number) || number < 0) return null
  return number >= MILLISECONDS_FROM ? number : 1000 * number
}

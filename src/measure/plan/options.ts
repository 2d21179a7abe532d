// The options of a plan: what they mean, their defaults, and the checks.

import { statSync } from 'node:fs'
import { checkCount, checkList, checkOption, checkWord } from '../../errors/check-options.js'
import { parseWeightedPath, type WeightedPath } from '../load/weighted-path.js'
import type { Random } from '../stats/random.js'
import { createRandom } from '../stats/random.js'
import { ascending } from '../stats/summary.js'
import { readAccessLog } from './access-log.js'
import { readDoctor, type Movable } from './from-doctor.js'
import { spanOf, type Arrivals } from './model/arrivals.js'

export interface PlanOptions {
  /** Starts the server; default: what doctor has started. */
  file?: string | undefined
  args?: readonly string[]
  /** "/report=1"; default: those of doctor, or "/". */
  paths?: readonly string[] | undefined
  /** Requests per second, all paths together; default: that of the access log. */
  rate?: number | undefined
  /** "poisson" (default), "even", "burst=3x10s", or a file: an access log. */
  arrivals?: string | undefined
  /** 99 of 100 requests take at most so many ms. */
  p99?: number | undefined
  /** Limits that a container may have. */
  cpus?: readonly number[] | undefined
  /** "cpu=29.55,gb=3.24": of a month. */
  price?: string | undefined
  /** So many containers may be lost. */
  spare?: number | undefined
  check?: boolean | undefined
  write?: string | undefined
  /** The JSON of a diagnosis. */
  from?: string | undefined
  seed?: number | undefined
  signal: AbortSignal
  onPhase?: (text: string) => void
  command?: string
}

const HANDOVERS = ['kubernetes', 'compose', 'systemd'] as const
export type Handover = (typeof HANDOVERS)[number]

export interface ResolvedPlan {
  readonly file: string
  readonly args: readonly string[]
  readonly paths: readonly WeightedPath[]
  readonly rate: number
  readonly arrivals: Arrivals
  /** As it was asked for. */
  readonly arrivalsText: string
  readonly p99: number
  readonly cpus: readonly number[]
  readonly prices: { readonly cpu: number; readonly gb: number } | null
  readonly spare: number
  readonly check: boolean
  readonly movable: Movable | null
  readonly seed: number
  readonly random: Random
  readonly signal: AbortSignal
  readonly onPhase: (text: string) => void
  readonly command: string | null
  readonly notes: readonly string[]
}

const MAX_RATE = 1_000_000
const MAX_P99 = 600_000
const CPUS = [0.5, 1, 2, 4]
const LEAST_CPUS = 0.05
const MAX_CPUS = 64
const MAX_SPARE = 100

/** @throws TW_ERR_INVALID_OPTION */
export function resolvePlan(options: PlanOptions): ResolvedPlan {
  const { rate, p99, cpus = CPUS, spare = 0, check = false, seed = 1, args = [], signal } = options
  const { arrivals: text = 'poisson', onPhase = () => {}, command = null } = options
  const from = options.from === undefined ? null : readDoctor(options.from)
  const file = options.file ?? from?.file
  checkOption(file !== undefined && isFile(file), 'file', 'the file that starts your server', file)
  const isRate = rate === undefined || (isNumber(rate) && rate > 0 && rate <= MAX_RATE)
  checkOption(isRate, 'rate', `a number of requests per second above 0, up to ${MAX_RATE}`, rate)
  checkOption(
    isNumber(p99) && p99 > 0 && p99 <= MAX_P99,
    'p99',
    `a number of milliseconds above 0, up to ${MAX_P99}`,
    p99,
  )
  checkList(
    'cpus',
    cpus,
    `numbers of CPUs from ${LEAST_CPUS} to ${MAX_CPUS}`,
    (value) => isNumber(value) && value >= LEAST_CPUS && value <= MAX_CPUS,
  )
  checkCount('spare', spare, MAX_SPARE, 0)
  checkOption(Number.isSafeInteger(seed), 'seed', 'a whole number', seed)
  if (options.write !== undefined) checkWord('write', options.write, HANDOVERS)
  const random = createRandom(seed)
  const { arrivals, logRate, notes } = resolveArrivals(text, random)
  const wanted = rate ?? logRate
  checkOption(
    wanted !== null,
    'rate',
    'given: requests per second, or --arrivals with an access log that has one',
    rate,
  )
  return {
    file: file!,
    paths: resolvePaths(options.paths ?? from?.paths ?? ['/']),
    rate: wanted!,
    args: options.file === undefined ? (from?.args ?? []) : args,
    arrivals,
    arrivalsText: text,
    p99: p99!,
    cpus: ascending(cpus),
    prices: parsePrice(options.price),
    spare,
    check,
    movable: from?.movable ?? null,
    seed,
    random,
    signal,
    onPhase,
    command,
    notes: [...notes, ...(from?.notes ?? [])],
  }
}

function resolvePaths(texts: readonly string[]): WeightedPath[] {
  const paths = texts.map(parseWeightedPath)
  const again = paths.find(({ path }, index) => paths.findIndex((each) => each.path === path) < index)
  checkOption(again === undefined, 'path', 'given once for each path', again?.path)
  return paths
}

function resolveArrivals(text: string, random: Random) {
  if (text === 'poisson' || text === 'even')
    return { arrivals: { kind: text } as Arrivals, logRate: null, notes: [] }
  if (/^burst\b/.test(text)) return { arrivals: parseBurst(text), logRate: null, notes: [] }
  const { times, unread } = readAccessLog(text, random)
  const notes = unread === 0 ? [] : [`${unread} lines of ${text} hold no time, and were left out.`]
  return {
    arrivals: { kind: 'file', file: text, times } as Arrivals,
    logRate: (1000 * times.length) / spanOf(times),
    notes,
  }
}

/** "burst=3x10s": three times the rate, for ten seconds. */
function parseBurst(text: string): Arrivals {
  const [, factor, seconds] = /^burst=(\d+(?:\.\d+)?)x(\d+(?:\.\d+)?)s$/.exec(text) ?? []
  const isBurst =
    Number(factor) > 1 && Number(factor) <= 1000 && Number(seconds) > 0 && Number(seconds) <= 3600
  checkOption(
    isBurst,
    'arrivals',
    'poisson, even, an access log, or a burst such as burst=3x10s: three times the rate for ten seconds of each minute',
    text,
  )
  return { kind: 'burst', factor: Number(factor), seconds: Number(seconds) }
}

/** "cpu=29.55,gb=3.24", or one of them. */
export function parsePrice(text: string | undefined): { cpu: number; gb: number } | null {
  if (text === undefined) return null
  const parts = text.split(',').map((part) => /^\s*(cpu|gb)=(\d+(?:\.\d+)?)\s*$/i.exec(part))
  const prices = { cpu: 0, gb: 0 }
  for (const part of parts) if (part) prices[part[1]!.toLowerCase() as 'cpu' | 'gb'] = Number(part[2])
  const isPrice = parts.every((part) => part !== null) && prices.cpu + prices.gb > 0
  checkOption(
    isPrice,
    'price',
    'the price of a CPU and of a GB of memory for a month, such as cpu=29.55,gb=3.24',
    text,
  )
  return prices
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value)
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
}

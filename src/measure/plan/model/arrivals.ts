// When requests come: the times of an open loop, in milliseconds, as a stream that does not end.

import type { Random } from '../../stats/random.js'

export type Arrivals =
  | { readonly kind: 'poisson' }
  | { readonly kind: 'even' }
  /** For `seconds` of each cycle so many times as many. */
  | { readonly kind: 'burst'; readonly factor: number; readonly seconds: number }
  /** Those of a file, from its first one on, in ms; they begin again at the end. */
  | { readonly kind: 'file'; readonly file: string; readonly times: readonly number[] }

/** A cycle with a burst takes a minute, or longer where the burst is more than a sixth of that. */
export function cycleSeconds(seconds: number): number {
  return Math.max(60, 6 * seconds)
}

export interface RequestStream {
  readonly arrivals: Arrivals
  /** Requests per second of all containers, outside of bursts. */
  readonly rate: number
  /** Of each request: that it comes here. A balancer that chooses at random. */
  readonly share: number
  readonly random: Random
  /** Where in a cycle, or in the file, it begins, 0 to 1. Default 0. */
  readonly from?: number
}

/** Requests per second on average, bursts included. */
export function meanRate(arrivals: Arrivals, rate: number): number {
  if (arrivals.kind !== 'burst') return rate
  const { factor, seconds } = arrivals
  return rate * (1 + ((factor - 1) * seconds) / cycleSeconds(seconds))
}

/** Each call gives the time of the next request, from 0 on. */
export function createArrivals(stream: RequestStream): () => number {
  const { arrivals } = stream
  if (arrivals.kind === 'poisson') return poisson(stream)
  if (arrivals.kind === 'burst') return burst(stream, arrivals)
  const timeOf = arrivals.kind === 'file' ? replayed(stream, arrivals.times) : even(stream)
  let index = -1
  return () => timeOf((index += 1 + passedOver(stream)))
}

/** Requests that go to other containers before the next one of this: their number is geometric. */
function passedOver({ share, random }: RequestStream): number {
  return share >= 1 ? 0 : Math.floor(Math.log(1 - random()) / Math.log(1 - share))
}

/** What a random part of a Poisson process is: one of that rate. */
function poisson({ rate, share, random }: RequestStream): () => number {
  const gapMs = 1000 / (rate * share)
  let time = 0
  return () => (time += gapMs * exponential(random))
}

function even({ rate, from = 0 }: RequestStream): (index: number) => number {
  return (index) => ((index + from) * 1000) / rate
}

/** A Poisson process whose rate changes: one of constant rate, in a time that runs faster in a burst. */
function burst(
  stream: RequestStream,
  { factor, seconds }: { factor: number; seconds: number },
): () => number {
  const { rate, share, random, from = 0 } = stream
  const cycleMs = 1000 * cycleSeconds(seconds)
  const calmMs = cycleMs - 1000 * seconds
  const perCycle = calmMs + 1000 * seconds * factor
  const clockOf = (work: number) => {
    const cycles = Math.floor(work / perCycle)
    const rest = work - cycles * perCycle
    return cycles * cycleMs + (rest <= calmMs ? rest : calmMs + (rest - calmMs) / factor)
  }
  const begin = from * perCycle
  let work = begin
  return () => {
    work += (1000 / (rate * share)) * exponential(random)
    return clockOf(work) - clockOf(begin)
  }
}

/** Stretched so that it has the wanted rate on average. */
function replayed({ rate, from = 0 }: RequestStream, times: readonly number[]): (index: number) => number {
  const spanMs = spanOf(times)
  const stretch = times.length / spanMs / (rate / 1000)
  const first = Math.floor(from * times.length) % times.length
  return (index) => {
    const at = first + index
    const cycle = Math.floor(at / times.length)
    return (times[at % times.length]! + cycle * spanMs - times[first]!) * stretch
  }
}

/** In ms, with the gap that would follow the last one. */
export function spanOf(times: readonly number[]): number {
  const between = times.at(-1)! - times[0]!
  return (between * times.length) / Math.max(1, times.length - 1)
}

function exponential(random: Random): number {
  return -Math.log(1 - random())
}

// What a load run gives: the form of the JSON of `threadwise load --json`.

/** Why a request got no whole answer. */
export type FailureKind = 'connect' | 'timeout' | 'reset' | 'protocol'

/** Milliseconds; null when there was nothing to count. */
export interface LoadLatency {
  p50: number | null
  p90: number | null
  p99: number | null
  p999: number | null
  max: number | null
}

/**
 * The result of {@link load}. Unless a field says otherwise it is about the requests that were due within the measured
 * time, after the warm-up.
 */
export interface LoadResult {
  version: 1
  url: string
  /** `open`: requests at intended times. `closed`: each connection sends its next request when the last is answered. */
  loop: 'open' | 'closed'
  settings: LoadSettings
  /** False when the run was interrupted. */
  complete: boolean
  /** The measured time, in seconds; shorter than `settings.duration` only when the run was interrupted. */
  seconds: number
  /** Requests with a whole answer, whatever its status. */
  requests: number
  /** Requests without one: the sum of `errorsByKind`. */
  errors: number
  errorsByKind: Record<FailureKind, number>
  /** The first message of each kind that occurred. */
  messages: Partial<Record<FailureKind, string>>
  /** Status -> number of answers. */
  statuses: Record<string, number>
  /** Requests that had no answer yet when the run was interrupted. In an open loop, those that were due. */
  unfinished: number
  /**
   * From the intended time in an open loop, else from the sending, to the last byte of the answer. Requests that timed out
   * count with the time after which they were given up.
   */
  latency: LoadLatency
  /** Answers per second that arrived within the measured time. */
  throughput: number
  /** Requests written to a connection in the whole run, warm-up included. */
  sent: number
  /** Of these, written once more to a new connection, since the server had closed the one before without a word after an answer. */
  resent: number
  /** Requests of an open loop that were due while all connections were busy. */
  waited: number
  /** The share of one core that this process used; 1 is all of it. */
  generatorCpu: number
  /** Open loop: how late the generator itself sent requests for which a connection was free. Null in a closed loop. */
  sendDelay: { p50: number | null; p99: number | null; max: number | null } | null
  /** Whether the generator was the bottleneck: then the figures are about it, not about the server. */
  limited: boolean
  /** Why it was; null when it was not. */
  limitedBecause: string | null
}

/** The options that were in force. */
export interface LoadSettings {
  rate: number | null
  poisson: boolean
  connections: number
  pipelining: number
  /** After which it ended; null: after `duration`. */
  requests: number | null
  /** Seconds. */
  duration: number
  warmup: number
  timeout: number
  method: string
}

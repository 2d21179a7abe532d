// The events of a service, and its status.

/** What a service tells while it runs, by the option `onEvent`. Times are in milliseconds. */
export type ServeEvent =
  /** An instance takes requests. */
  | { type: 'ready'; instance: number; pid: number }
  /** An instance is to end, after its requests. */
  | { type: 'draining'; instance: number; pid: number }
  /** An instance has ended: `how` it did, and whether that was wanted. */
  | { type: 'gone'; instance: number; pid: number; how: string; wasWanted: boolean }
  /** A replacement starts in `delayMs`. */
  | { type: 'replacing'; delayMs: number; unstable: number }
  /** An instance has ended, and is not started again: that is what it is there for, or it may run only once. */
  | { type: 'done'; instance: number; pid: number; exitCode: number | null }
  /** It is time for a job, and the last one still runs: this time is left out. */
  | { type: 'skipped'; instance: number; pid: number }
  /** All instances were replaced. */
  | { type: 'reloaded'; instances: number }
  /** An instance is to be replaced, although it runs: what was found, and of which limit. */
  | { type: 'renewing'; instance: number; pid: number; limit: RenewLimit; found: string }
  /** The number of instances changes by the rule of `min` and `max`. */
  | { type: 'scaling'; from: number; to: number; found: string }
  /** An instance takes no connections, or does again; or something on this machine makes an option work less well. */
  | { type: 'warning'; text: string }

/**
 * `degraded`: fewer instances serve than are wanted, also when one is failing; `flapping`: one has ended by itself three times within a minute, or
 * has not become ready so often; `waiting`: a job between its times.
 */
export type ServiceState =
  'starting' | 'serving' | 'waiting' | 'degraded' | 'flapping' | 'stopping' | 'stopped' | 'failed'

/** Why an instance is replaced although it runs: the option whose limit it has reached; `listening`: it closed a server, or takes no connections. */
export type RenewLimit = 'hangTimeout' | 'health' | 'listening' | 'maxMemory' | 'maxRequests'

/** What a service says of itself when it is asked. */
export interface ServiceStatus {
  version: 1
  name: string
  /** Path of what was started, or the words of a command. */
  file: string
  /** `server`: its instances share a port; `program`: an app without a port, or a command; `job`: one that runs at its times. */
  kind: 'server' | 'program' | 'job'
  /** Of the primary. */
  pid: number
  state: ServiceState
  /** What instances that share ports have listened on, for people; not with `reusePort`. */
  ports: string[]
  /** Instances that there should be. */
  wanted: number
  /** Milliseconds since 1970. */
  startedAt: number
  /** Since the start of the service. */
  reloads: number
  /** Instances that ended without being told to. */
  crashes: number
  /** Instances that were replaced since they had reached a limit. */
  renewals: number
  /** Null without `min` and `max`; `busy` is the share of time at the last look, null before it. */
  scaling: { min: number; max: number; busy: number | null; open: number | null } | null
  /** The last thing that went wrong; null when nothing did. */
  lastProblem: string | null
  instances: InstanceStatus[]
}

/** One process of a service. */
export interface InstanceStatus {
  /** From 1; an instance that replaces another one has a new number. */
  id: number
  pid: number
  state: InstanceState
  /** Milliseconds since 1970. */
  startedAt: number
  /** Milliseconds since 1970; null until it is ready. */
  readyAt: number | null
  /** Only where it was asked for; null too when it did not answer within a second. */
  load: InstanceLoad | null
}

/** What an instance measures of itself. "Recent" is over the last 10 to 20 seconds, or since its start; times are in milliseconds. */
export interface InstanceLoad {
  /** Answered or broken off, since its start. */
  requests: number
  /** Of these: answered with a status of 500 or more, or broken off before the answer was sent. */
  errors: number
  /** Under way now. */
  open: number
  /** Requests per second, recent. */
  perSecond: number
  /** Time until half of the recent requests were answered: from the request's headers to the last byte given to the system. */
  p50: number | null
  /** The same for 99 of 100 requests. */
  p99: number | null
  /** How late timers ran while requests came, recent: the delay that 99 of 100 samples stayed below. */
  loopDelay: number | null
  /** CPUs used, recent: 1 is one whole CPU. Threads of the instance count. */
  cpu: number
  /** Milliseconds of CPU time since its start. */
  cpuMs: number
  /** Bytes of memory that it holds. */
  rss: number
  /** Bytes in use in its JavaScript heap. */
  heapUsed: number
  /** Sum of the milliseconds until each answer, since its start. */
  totalMs: number
  /** Milliseconds, as text, to the number of requests that took no longer. */
  within: Record<string, number>
}

/**
 * `failing`: it hangs, is not healthy or does not listen, and is replaced as soon as another one serves; `draining`: it lets its requests end;
 * `ending`: it was told to end; `gone`: it has ended.
 */
export type InstanceState = 'starting' | 'serving' | 'failing' | 'draining' | 'ending' | 'gone'

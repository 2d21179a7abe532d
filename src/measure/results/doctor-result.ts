// What a diagnosis gives: the form of the JSON of `threadwise doctor --json`.

import type { Interval, Verdict } from './result.js'

export type DoctorVerdict =
  'move' | 'move after change' | 'use the async version' | 'cannot' | 'too short' | 'waits'

/** Why there is no diagnosis, or no more than a part of it. */
export type DoctorProblem =
  | 'exits'
  | 'never-listens'
  | 'no-agent'
  | 'cluster'
  | 'cannot-attach'
  | 'no-requests'
  | 'native-only'
  | 'crashed'
  | 'blocked'
  | 'idle'

/** What has to be so, or to be done, for a function to move. */
export interface DoctorCondition {
  kind: 'await-callers' | 'error-class' | 'identity' | 'package-setup' | 'state' | 'time' | 'side-effect'
  /** A sentence, without its end. */
  text: string
  /** The place in the user's source that it is about. */
  file: string
  /** Counted from 1. */
  line: number
}

/** A function of the user. Shares are of the time that the event loop was busy while it was profiled. */
export interface DoctorFunction {
  name: string
  /** As the user wrote it, by its source map; relative to the working directory where it lies below that. */
  file: string
  /** Counted from 1. */
  line: number
  /** The function with the packages and the parts of Node that it calls, without other functions of the user. */
  share: number
  /** The function with all that it calls. */
  inclusiveShare: number
  /** Mean of the main thread's time in a call, with all that it calls; null when its calls were not counted. */
  callMs: number | null
  callsPerSecond: number | null
  /** Null when it was not judged. */
  verdict: DoctorVerdict | null
  reasons: string[]
  /** Of one that can move: it does if all of them hold. Of others what was found on the way. */
  conditions: DoctorCondition[]
  /** What a task would be called, and the file that it is in; null unless its verdict is `move`. */
  task: { name: string; module: string; workload: string } | null
}

/** Time that packages took outside of the user's functions, of those that took most. */
export interface DoctorPackage {
  name: string
  /** The function of it that took most of that time, and what it called, such as "parse (in it: parse)". */
  function: string
  /** Of the busy time, of all its functions. */
  share: number
  /** What may help. */
  advice: string
}

export interface DoctorPrediction {
  task: string
  /** Share of the time that the event loop is busy. */
  busyNow: number
  busyThen: { low: number; high: number } | null
  /** Why it cannot be told; null when it can. */
  cannotTell: string | null
}

/** A function in the flame graph, as its caller called it. */
export interface FlameNode {
  name: string
  /** File and line, or the package. */
  place: string
  isYours: boolean
  /** Of the busy time, with all that it calls. */
  share: number
  children: FlameNode[]
}

/** The profile over time. */
export interface DoctorTrace {
  /** Length of a slice in milliseconds, and the share of each that the loop was busy. */
  sliceMs: number
  busy: number[]
  /** The longest times without a pause of the loop, and the functions that they were spent in. */
  turns: { ms: number; parts: { name: string; ms: number }[] }[]
  flame: FlameNode | null
}

/** What a look at a process that ran already costs there. */
export interface DoctorCost {
  /** How doctor came into the process: by the socket of `threadwise/doctor/register`, or by the inspector. */
  by: 'inspector' | 'socket'
  /** For so long its inspector was open to all users of this machine; 0 where doctor has opened none. */
  inspectorMs: number
  /** Where it is open still, such as "127.0.0.1:9229": another program is connected to it. Null: it is closed, or was open before. */
  inspectorLeftAt: string | null
  countSeconds: number
  /** How many times the CPU time a request took meanwhile; null where there were too few of them. */
  countSlower: number | null
  profileSeconds: number
  profileSlower: number | null
}

/** A function that a patch moves. Where it can be told, what one has to know of its new callers. */
export interface DoctorTrialFunction {
  name: string
  file: string
  /** Counted from 1. */
  line: number
  /** It moves to threads, or waits for the form of Node's own function that gives a promise. */
  way: 'threads' | 'promise'
  notes: { text: string; file: string; line: number }[]
}

/** What a version of the app showed under the load. Milliseconds; null: it could not be told. */
export interface DoctorTrialFigures {
  /** Answers per second when it gets as many requests as it answers. */
  throughput: number | null
  /** At the rate of the load: share of the time that the event loop did not wait, and how late it was. */
  busy: number | null
  delayMs: { p50: number | null; p99: number | null }
  paths: { path: string; p50: number | null; p99: number | null }[]
  /** CPU time of a request, of all threads. */
  cpuMs: number | null
  memoryBytes: number | null
}

export interface DoctorTrialRatio {
  /** Null: it is of the whole app. */
  path: string | null
  metric: 'throughput' | 'busy' | 'delay' | 'cpu' | 'p50' | 'p99'
  /** After over before. */
  ratio: Interval
  verdict: Verdict
}

/** What `--try` found: the patch, and what it brings. */
export interface DoctorTrial {
  sentence: string
  /** Its text; null: none is offered. */
  patch: string | null
  /** The file that it was written to. */
  patchFile: string | null
  /** By `--apply`. */
  isApplied: boolean
  functions: DoctorTrialFunction[]
  /** Functions of Node's own that blocked, each with its form that gives a promise. */
  forms: string[][]
  refused: { name: string; file: string; line: number; reason: string }[]
  before: DoctorTrialFigures | null
  after: DoctorTrialFigures | null
  ratios: DoctorTrialRatio[]
  /** Responses of the patched app, of both loads; `masked`: those in which something differs between two answers of the unpatched one. */
  responses: { compared: number; equal: number; masked: number }
}

export interface DoctorResult {
  version: 1
  date: string
  node: string
  /** Of the app. */
  command: string[]
  /** `process`: one that ran already. */
  kind: 'server' | 'script' | 'process' | null
  /** False when it was interrupted. */
  complete: boolean
  /** The answer in a sentence. */
  sentence: string
  problem: DoctorProblem | null
  load: { paths: string[]; perSecond: number; requests: number; failed: number; isOwn: boolean } | null
  loop: { busy: number | null; delayMs: { p50: number | null; p99: number | null } }
  /** Of the busy time: all functions of the user, packages and Node outside of them, garbage collection, other native code. */
  shares: { yours: number; packages: number; collection: number; native: number } | null
  functions: DoctorFunction[]
  /** The largest first. */
  packages: DoctorPackage[]
  predictions: DoctorPrediction[]
  /** Null without `--try`. */
  trial: DoctorTrial | null
  /** Null for an app that doctor has started. */
  cost: DoctorCost | null
  trace: DoctorTrace | null
  /** That were written. */
  files: string[]
  /** What to do next, in order. */
  steps: string[]
}

// What the agent and doctor tell each other.

import type { Profiler } from 'node:inspector'
import type { Difference } from '../state/compare-states.js'
import type { StateGraph } from '../state/state-graph.js'
import type { Lost } from './plain-data.js'
import type { ListeningPlace, OtherServer } from './watch-listening.js'

/** What the agent sends: by itself, and as replies. */
export type AgentMessage =
  | { says: 'starts'; pid: number; node: string; isClusterWorker: boolean }
  | ({ says: 'listens' } & ListeningPlace)
  | ({ says: 'listens otherwise' } & OtherServer)
  | { says: 'replies'; id: number; value?: unknown; error?: string }

/** What doctor asks for; the agent replies to each. */
export interface AgentAnswers {
  'calm start': null
  'calm end': CalmWindow
  'delay start': null
  'delay end': LoopDelay
  'profile start': null
  /** What was profiled so far does not count. */
  'profile again': null
  'profile end': Profiled
  'count start': null
  'count end': CountedWindow
  /** Requests since the window began. */
  'requests so far': number
  'watch start': null
  /** Of each function how many calls could be kept, or need no more. */
  'watched so far': number[]
  'watch end': { requests: number; functions: Watched[] }
}

export interface AgentQuestion {
  id: number
  ask: keyof AgentAnswers
  /** For `watch start`. */
  functions?: WatchedFunction[]
}

/** Lines and columns from 0. */
export interface WatchedFunction {
  url: string
  start: { line: number; column: number }
  end: { line: number; column: number }
  /** All of its calls are counted: to V8 an asynchronous function is called again each time that it goes on. */
  isAsync: boolean
  /** An expression that gives its arguments where it starts. */
  given: string
  /** As V8 ran it. */
  text: string
  /** Of the variables around it, those that it uses. */
  names: string[]
}

/** A place in the stack of a call; without a URL it is of the language, such as `Array.filter`. */
export interface CallerFrame {
  url: string
  /** From 0. */
  line: number
  column: number
  name: string
  /** It goes on after it has waited, so its caller has waited already. */
  isAsync: boolean
}

/** What a function could reach in the app. */
export interface WatchedState {
  graph: StateGraph
  /** What changed while the function was watched. */
  changes: Difference[]
}

/** What real calls of a function were given, in the order of the question. */
export interface Watched {
  /** While it was watched. */
  entered: number
  /** Those whose arguments were looked at. */
  calls: number
  /** Of arguments that cannot be copied to another thread, such as "argument 1 is a request (IncomingMessage)". */
  problems: string[]
  /** Calls that were looked at again when they returned, and those of them that had changed an argument. */
  returned: number
  changed: number
  /** Of results that cannot be copied to another thread, such as "a function". */
  gives: string[]
  /** Those that were given, or gave, more than is looked at. */
  large: number
  /** Those that have thrown, and the classes of what they threw. */
  threw: number
  thrown: ThrownValue[]
  /** Of results that are, or hold, the very object that somebody else has, such as "argument 1 itself". */
  shares: string[]
  /** What a copy of its arguments, and of its results, loses, such as "fields under a symbol". */
  losesGiven: Lost[]
  losesResult: Lost[]
  /** Who called it: the stacks of real calls, each once, from its caller on. */
  callers: CallerFrame[][]
  /** It took something of the request that it was called for, of an AsyncLocalStorage. */
  usesContext: boolean
  /** Null: it was not looked at, or could not be. */
  state: WatchedState | null
  /** What those were given and gave, as far as both are data and small enough to be kept. */
  kept: KeptCall[]
}

/** The class of a thrown value, which is none of the language. */
export interface ThrownValue {
  name: string
  /** Of its script: a file URL, or a path where it is CommonJS. */
  url: string
  /** As it is written. */
  text: string
  /** It has private fields, its own or inherited ones. */
  hasPrivate: boolean
}

/** Serialized by `node:v8`, as base64. */
export interface KeptCall {
  /** The list of arguments, as they were before the call. */
  given: string
  result: string
  /** Milliseconds since 1970, when it began. */
  at: number
}

/** A time for which the app was looked at. */
export interface AppWindow {
  seconds: number
  requests: number
  /** Milliseconds of all threads of the app's process. */
  cpuMs: number
}

/** The event loop while nothing else looks at it: a profiler makes its utilisation rise. */
export interface CalmWindow extends AppWindow {
  /** Share of the time that the loop did not wait. */
  busy: number
  /** Share of the time that the main thread was ready to run and had no CPU. */
  waited: number
}

/** Of a time of its own: each look at it wakes the loop, which would make it look busier by a point or two. */
export interface LoopDelay {
  delayMs: { p50: number | null; p99: number | null }
}

export interface Profiled extends AppWindow {
  profile: Profiler.Profile
  /** All files of the user. */
  scripts: ScriptText[]
}

export interface ScriptText {
  scriptId: string
  url: string
  /** As V8 ran it: what a loader made of the file. */
  text: string
  sourceMap: string
}

export interface CountedWindow extends AppWindow {
  scripts: Profiler.ScriptCoverage[]
}

/** Counted twice: first without requests of doctor; null where it does not send them. */
export interface CountedCalls {
  quiet: CountedWindow | null
  busy: CountedWindow
}

/** A program that ended without listening: its whole run. */
export interface WholeRun extends Profiled {
  pid: number
  /** Version of Node.js. */
  node: string
  exitCode: number
}

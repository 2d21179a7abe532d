// The inspector of V8, from within the thread that it looks at: commands are answered at once, and no port is opened.

import { Session, type Profiler } from 'node:inspector'
import { setFlagsFromString } from 'node:v8'
import type { ScriptText } from './messages.js'
import { isUserFile } from './user-file.js'

/** Time between two samples, in microseconds. A finer one slows the app more than it tells. */
const SAMPLE_US = 1000

type Post = <Result = void>(method: string, parameters?: object) => Result

export interface V8Session {
  post: Post
  on(event: string, listener: (message: { params: never }) => void): void
  off(event: string, listener: (message: { params: never }) => void): void
  disconnect(): void
}

export function openV8Session(): V8Session {
  const session = new Session()
  session.connect()
  const post = <Result>(method: string, parameters?: object): Result => {
    let answer: { error: Error | null; result: unknown } | undefined
    session.post(method, parameters, (error, result) => (answer = { error, result }))
    if (!answer || answer.error) throw new Error(`V8 refused ${method}: ${JSON.stringify(answer?.error)}`)
    return answer.result as Result
  }
  return {
    post,
    on: session.on.bind(session),
    off: session.off.bind(session),
    disconnect: () => session.disconnect(),
  }
}

export function startProfile({ post }: V8Session): void {
  post('Profiler.enable')
  post('Profiler.setSamplingInterval', { interval: SAMPLE_US })
  post('Profiler.start')
}

export function endProfile({ post }: V8Session): Profiler.Profile {
  const { profile } = post<Profiler.StopReturnType>('Profiler.stop')
  post('Profiler.disable')
  return profile
}

/** A profile without its first samples. It cannot be started anew instead: it would not know code that runs already (of hot loops). */
export function withoutStart(profile: Profiler.Profile, skippedUs: number): Profiler.Profile {
  const { samples = [], timeDeltas = [], startTime } = profile
  let us = 0
  let first = 0
  while (first < timeDeltas.length && us < skippedUs) us += timeDeltas[first++]!
  return {
    ...profile,
    samples: samples.slice(first),
    timeDeltas: timeDeltas.slice(first),
    startTime: startTime + us,
  }
}

/**
 * Makes a change of what V8 may inline, such as a breakpoint, while nothing is optimized. Jobs in its threads ask twice what they may inline,
 * and where that has become less in between they end the process ("inlineability == SharedFunctionInfo::kHasOptimizationDisabled"). The start
 * of exact counts waits for all jobs of this thread, and lets none begin. Not where calls are counted already: that would end with it.
 */
export function withoutOptimizing<Result>({ post }: V8Session, change: () => Result): Result {
  post('Profiler.enable')
  post('Profiler.startPreciseCoverage', EXACT_COUNTS)
  try {
    return change()
  } finally {
    post('Profiler.stopPreciseCoverage')
  }
}

const EXACT_COUNTS = { callCount: true, detailed: false }

/**
 * From now on V8 puts no more than tiny functions into their callers: the profile would count the time of larger ones to those. Code that
 * is optimized already is not changed by that. It makes some apps slower by a fifth. Only while nothing is optimized.
 */
export function keepFunctionsApart(): void {
  setMostInlined(30, 30)
}

/** As V8 does by itself. Of Maglev's code, which is not in use for long, some versions allow 460. */
export function letFunctionsJoin(): void {
  setMostInlined(460, 100)
}

/** Sizes of bytecode. */
function setMostInlined(size: number, sizeOfMaglev: number): void {
  setFlagsFromString(`--max-inlined-bytecode-size=${size}`)
  const [major] = process.versions.node.split('.')
  if (Number(major) >= 22) setFlagsFromString(`--max-maglev-inlined-bytecode-size=${sizeOfMaglev}`)
}

/**
 * Profiles from now on, and then forgets optimized code, by the end of counting. In this order: a profiler does not know the code of hot
 * loops that was made before it started, and gives their time to the callers.
 */
export function profileInsteadOfCounts(session: V8Session): void {
  startProfile(session)
  session.post('Profiler.stopPreciseCoverage')
}

/** Exact counts of calls, of code as it is. It runs several times slower meanwhile, and at full speed afterwards. */
export function startCounts({ post }: V8Session): void {
  post('Profiler.enable')
  post('Profiler.startPreciseCoverage', EXACT_COUNTS)
}

/** Code is counted still, until `profileInsteadOfCounts`. */
export function readCounts({ post }: V8Session): Profiler.ScriptCoverage[] {
  const { result } = post<Profiler.TakePreciseCoverageReturnType>('Profiler.takePreciseCoverage')
  return result.filter(({ url }) => isUserFile(url))
}

/** All files of the user, as far as they are loaded. */
export function scriptsOf(session: V8Session): ScriptText[] {
  const scripts = loadedScripts(session).map(({ scriptId, url, sourceMapURL = '' }) => {
    const { scriptSource } = session.post<{ scriptSource: string }>('Debugger.getScriptSource', { scriptId })
    return { scriptId, url, text: scriptSource, sourceMap: sourceMapURL }
  })
  session.post('Debugger.disable')
  return scripts
}

interface LoadedScript {
  scriptId: string
  url: string
  sourceMapURL?: string
}

/** Leaves the debugger on. */
export function loadedScripts(session: V8Session): LoadedScript[] {
  const found: LoadedScript[] = []
  const onScript = ({ params }: { params: LoadedScript }) => found.push(params)
  session.on('Debugger.scriptParsed', onScript)
  session.post('Debugger.enable') // tells of all scripts
  session.off('Debugger.scriptParsed', onScript)
  return found.filter(({ url }) => isUserFile(url))
}

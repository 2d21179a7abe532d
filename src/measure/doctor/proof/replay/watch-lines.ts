// Which parts of the modules of a task no call comes by, as V8 counts them.

import { Session, type Profiler } from 'node:inspector'
import type { UnrunPart } from './replay-messages.js'

/** To be called before the modules are loaded. @returns gives those so far, and ends it; null: the inspector is not to be had here */
export function watchLines(): ((isIts: (url: string) => boolean) => UnrunPart[]) | null {
  const session = openSession()
  if (session === null) return null
  session.post('Profiler.enable')
  session.post('Profiler.startPreciseCoverage', { callCount: false, detailed: true })
  return (isIts) => {
    let scripts: Profiler.ScriptCoverage[] = []
    session.post('Profiler.takePreciseCoverage', (_, found) => (scripts = found?.result ?? []))
    session.disconnect()
    return scripts.filter(({ url }) => isIts(url)).flatMap(unrunOf)
  }
}

function openSession(): Session | null {
  try {
    const session = new Session()
    session.connect()
    return session
  } catch {
    return null // without the right to, under --permission
  }
}

function unrunOf({ url, functions }: Profiler.ScriptCoverage): UnrunPart[] {
  const file = decodeURIComponent(url.replace(/^.*\//, ''))
  return functions
    .flatMap(({ ranges }) => ranges)
    .filter(({ count }) => count === 0)
    .map(({ startOffset, endOffset }) => ({ file, start: startOffset, end: endOffset }))
}

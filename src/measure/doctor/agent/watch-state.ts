// What watched functions can reach in the app: walked after the first call of each, and again at the end.

import { compareStates } from '../state/compare-states.js'
import { cpuMs } from '../state/cpu-ms.js'
import { openClosures } from '../state/closures.js'
import type { Language } from '../state/language.js'
import { walkState, type StateTools, type Walked } from '../state/walk-state.js'
import type { WatchedFunction, WatchedState } from './messages.js'

/** Of CPU, of all functions, each time: the app stands still meanwhile. */
const MAX_MS = 6000

interface Seen {
  readonly text: string
  readonly variables: Record<string, unknown>
  walked: Walked | null
}

export interface StateWatch {
  /** Of the first call that is looked at: what the variables around it hold. */
  begin(index: number, variables: Record<string, unknown>): void
  isBegun(index: number): boolean
  /** Whether the function at `index` can reach an object without its arguments. */
  reached(index: number, value: object): boolean
  /** @param isWanted which functions; the others give null */
  end(isWanted: (index: number) => boolean): (WatchedState | null)[]
}

export function watchState(functions: readonly WatchedFunction[], language: Language): StateWatch {
  const closures = openClosures()
  const seen = new Map<number, Seen>()
  let spentMs = 0
  const walk = (tools: StateTools, state: Seen): Walked | null => {
    if (spentMs > MAX_MS) return null
    const from = cpuMs()
    try {
      return walkState(tools, state)
    } catch {
      return null // of a value that throws when it is looked at: then nothing can be told
    } finally {
      spentMs += cpuMs() - from
    }
  }
  return {
    isBegun: (index) => seen.has(index),
    begin(index, variables) {
      const state: Seen = { text: functions[index]!.text, variables, walked: null }
      seen.set(index, state)
      if (closures) setImmediate(() => (state.walked = walk({ closures, language }, state))).unref() // not while V8 stands in the call
    },
    reached: (index, value) => seen.get(index)?.walked?.reached(value) ?? false,
    end(isWanted) {
      spentMs = 0
      const tools = closures && { closures, language }
      const states = functions.map((_, index) => {
        const state = seen.get(index)
        if (!tools || !state?.walked || !isWanted(index)) return null
        const after = walk(tools, state)
        return after && { graph: after.graph, changes: compareStates(state.walked.graph, after.graph) }
      })
      closures?.end()
      return states
    },
  }
}

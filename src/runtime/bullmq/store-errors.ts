// What Redis and PostgreSQL mean by their errors, and BullMQ by its own.

import { describe } from '../../errors/errors.js'
import type { StoreErrors } from '../queue/store.js'
import { CLOSED, isAnswer } from './connection/patience.js'

/** What to look at when the store refuses. */
function adviceFor(error: unknown): string {
  const message = describe(error)
  if (message.includes('CROSSSLOT') || message.includes('same slot'))
    return "This is a cluster: give a prefix with a hash tag, such as '{shop}', to callers and workers."
  if (/OOM/.test(message)) return 'Look at its memory (maxmemory).'
  if (/MISCONF|53100/.test(message)) return 'Look at its disk.'
  if (/READONLY|read-only|NOREPLICAS/.test(message))
    return 'Look which server is the main one, and whether it may write.'
  return 'Look at the connection, its user, and the rights of that.'
}

/** Answers of Redis, and what its client says of a cluster whose servers take over from each other. */
const FOR_NOW =
  /^(?:READONLY|MISCONF|NOREPLICAS|OOM|MASTERDOWN|CLUSTERDOWN|LOADING|TRYAGAIN|Too many Cluster|Failed to refresh slots|None of startup nodes)/
/** Read-only, its disk is full, and without memory. */
const FOR_NOW_CODES = ['25006', '53100', '53200']

function whyRefused(error: unknown): 'for now' | 'full' | undefined {
  const { message, code } = Object(error) as { message?: unknown; code?: unknown }
  const isForNow = FOR_NOW.test(String(message)) || FOR_NOW_CODES.includes(String(code))
  if (!isForNow) return undefined
  return String(message).startsWith('OOM') ? 'full' : 'for now'
}

function isBrokenOff(error: unknown): boolean {
  const { name, message } = Object(error) as { name?: unknown; message?: unknown }
  return !isAnswer(error) && (name === 'AbortError' || message === CLOSED)
}

export const storeErrors: StoreErrors = { whyRefused, isBrokenOff, adviceFor }

// Whether a message of an instance is one of those that the primary knows, with what belongs to it. An instance runs the user's code, which
// may send anything.

import type { FromInstance } from './instance-messages.js'
import { has, isFlag, isNumber, isRecord, isText, orNull, type Check } from './shapes.js'

export const isLoad = has({
  requests: isNumber,
  errors: isNumber,
  open: isNumber,
  perSecond: isNumber,
  cpu: isNumber,
  cpuMs: isNumber,
  rss: isNumber,
  heapUsed: isNumber,
  totalMs: isNumber,
  p50: orNull(isNumber),
  p99: orNull(isNumber),
  loopDelay: orNull(isNumber),
  within: (value) => isRecord(value) && Object.values(value).every(isNumber),
})
const isUsage = has({ activeMs: isNumber, idleMs: isNumber, cpuMs: isNumber, open: isNumber })

const isLimit: Check = (value) => value === 'maxMemory' || value === 'maxRequests' || value === 'listening'

const CHECKS: Readonly<Record<FromInstance['threadwise'], Check>> = {
  listens: isRecord,
  unable: has({ reason: isText }),
  checked: has({ isHealthy: isFlag, answer: isText }),
  opened: has({ problem: orNull(isText) }),
  left: isRecord,
  drained: isRecord,
  load: has({ load: isLoad }),
  usage: has({ usage: isUsage }),
  pong: isRecord,
  limitReached: has({ limit: isLimit, found: isText }),
}

export function isFromInstance(message: { threadwise: unknown }): message is FromInstance {
  const kind = message.threadwise
  return (
    typeof kind === 'string' && Object.hasOwn(CHECKS, kind) && CHECKS[kind as keyof typeof CHECKS](message)
  )
}

// Whether a message of an instance is one of those that the primary knows, with what belongs to it. An instance runs the user's code, which
// may send anything.

import type { FromInstance } from './instance-messages.js'

type Fields = Readonly<Record<string, unknown>>
type Check = (value: unknown) => boolean

const isText: Check = (value) => typeof value === 'string'
const isNumber: Check = (value) => typeof value === 'number' && value >= 0 && value < Infinity
const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value)
const isRecord = (value: unknown): value is Fields => typeof value === 'object' && value !== null
const has =
  (checks: Readonly<Record<string, Check>>): Check =>
  (value) =>
    isRecord(value) && Object.entries(checks).every(([name, check]) => check(value[name]))

const isLoad = has({
  ...{ requests: isNumber, errors: isNumber, open: isNumber, perSecond: isNumber, cpu: isNumber },
  ...{ cpuMs: isNumber, rss: isNumber, heapUsed: isNumber, totalMs: isNumber },
  ...{ p50: orNull(isNumber), p99: orNull(isNumber), loopDelay: orNull(isNumber) },
  within: (value) => isRecord(value) && Object.values(value).every(isNumber),
})
const isUsage = has({ activeMs: isNumber, idleMs: isNumber, cpuMs: isNumber, open: isNumber })

const isLimit: Check = (value) => value === 'maxMemory' || value === 'maxRequests' || value === 'listening'

const CHECKS: Readonly<Record<FromInstance['threadwise'], Check>> = {
  listens: isRecord,
  unable: has({ reason: isText }),
  checked: has({ isHealthy: (value) => typeof value === 'boolean', answer: isText }),
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

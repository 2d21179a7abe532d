// Whether what answers as a service gives a status as this version knows it. A service may be of another version, and anything may listen on a socket.

import type { ServiceStatus } from './events.js'
import { isLoad } from './check-message.js'
import { has, isNumber, isText, listOf, orNull } from './shapes.js'

const isInstance = has({
  id: (value) => Number.isInteger(value),
  pid: isNumber,
  state: isText,
  startedAt: isNumber,
  readyAt: orNull(isNumber),
  load: orNull(isLoad),
})

const isScaling = has({ min: isNumber, max: isNumber, busy: orNull(isNumber), open: orNull(isNumber) })

const isKnown = has({
  name: isText,
  file: isText,
  kind: isText,
  state: isText,
  pid: isNumber,
  wanted: isNumber,
  startedAt: isNumber,
  reloads: isNumber,
  crashes: isNumber,
  renewals: isNumber,
  scaling: orNull(isScaling),
  lastProblem: orNull(isText),
  instances: listOf(isInstance),
})

export function isServiceStatus(value: unknown): value is ServiceStatus {
  return isKnown(value)
}

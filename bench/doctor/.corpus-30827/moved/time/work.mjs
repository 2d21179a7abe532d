import { randomUUID } from 'node:crypto'
import { nonce, sheet, sign } from 'signed'
import { spin } from '../spin.cjs'

const now = Date.now
const BOOT = Date.now()

export function signed(...args) { return globalThis.movedTasks.signed(...args) }

export function exported(...args) { return globalThis.movedTasks.exported(...args) }

export function named(...args) { return globalThis.movedTasks.named(...args) }

export function late(...args) { return globalThis.movedTasks.late(...args) }

export function sinceStart(order) {
  return { age: order.at - BOOT, sum: spin(order.net) }
}

export function guarded(...args) { return globalThis.movedTasks.guarded(...args) }

export function dayOf(...args) { return globalThis.movedTasks.dayOf(...args) }

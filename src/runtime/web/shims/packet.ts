// Shim for wire/codec/packet.ts: leaves values to structured clone, which browsers have, instead of writing bytes.
//
//   { value }                the value itself, where it is large and plain: then it leaves at once, and alone
//   { value }                else a copy of it, made at once: calls and replies travel in batches, and what two of them share, or
//                            what a task changes after it, must not show in another
//   { value, specials }      the same with objects in it that stand for others, which `specials` lists. Structured clone keeps what is the
//                            same object, so no data of a user's can be taken for one of them
//   [{ ... }, ...beside]     what is moved with it, or shared, may be what no message can carry

import { useMarks } from '../../task/move.js'
import { Malformed, type ValueOrigin } from '../../wire/codec/input.js'
import { asNotSendable } from '../../wire/codec/not-sendable.js'
import { Copying, isBare, type Copied, type Moved } from './copy-value.js'
import { looksPlain } from './looks-plain.js'
import { canOnlyMove, tagOf } from './platform.js'
import { revive } from './revive.js'

export interface Carriage {
  readonly carried: unknown
  readonly transfer: readonly object[] | undefined
  /** What is carried is the value itself: it is to be sent at once, and alone. */
  readonly isItself?: boolean
}

export const BY_MESSAGE = { objects: true, besideFrom: Infinity }
/** A browser has no pipes. */
export const BY_PIPE = BY_MESSAGE

interface CarryOptions {
  readonly transfer?: Moved | undefined
  readonly large?: 'itself' | 'clone' | undefined
  /** Who waits while a large value is looked at is a page: see looks-plain.ts. */
  readonly isHasty?: boolean | undefined
}

/** @throws NotSendable */
export function carry(value: unknown, { transfer, large, isHasty = false }: CarryOptions): Carriage {
  if (isBare(value)) return { carried: value, transfer: undefined }
  const copying = new Copying(transfer, transfer !== undefined || large === undefined)
  try {
    return packed(copying.copyAll(value))
  } catch (error) {
    if (!copying.isLarge) throw asNotSendable(error)
  }
  return carryLarge(value, large === 'itself', isHasty)
}

function carryLarge(value: unknown, isItself: boolean, isHasty: boolean): Carriage {
  try {
    if (looksPlain(value, isHasty))
      return { carried: { value: isItself ? value : structuredClone(value) }, transfer: undefined, isItself }
  } catch {
    // A proxy, or what structured clone does not take: the copy says what, and where.
  }
  try {
    return packed(new Copying(undefined).copyAll(value))
  } catch (error) {
    throw asNotSendable(error)
  }
}

function packed({ value, specials, moved, owned, shared }: Copied): Carriage {
  const packet = specials.length > 0 ? { value, specials } : { value }
  const transfer = [...owned, ...moved]
  const beside = [...moved, ...shared]
  return {
    carried: beside.length > 0 ? [packet, ...beside] : packet,
    transfer: transfer.length > 0 ? transfer : undefined,
  }
}

/**
 * The value.
 *
 * @throws Malformed for what no `carry` has made; TW_ERR_CLASS_NOT_REGISTERED and TW_ERR_NOT_CLONEABLE, both only with `origin`
 */
export function receive(carried: unknown, origin?: ValueOrigin): unknown {
  if (isBare(carried)) return carried
  const packet = (Array.isArray(carried) ? carried[0] : carried) as Partial<Copied> | undefined
  if (typeof packet !== 'object' || packet === null || !('value' in packet))
    throw new Malformed('it is no packet')
  const { value, specials } = packet
  if (specials === undefined) return value
  if (!Array.isArray(specials)) throw new Malformed('it is no packet')
  return revive(value, specials, origin)
}

/** What can only be moved: whoever passes a value on that has come by message is the only one who has it. */
export const onlyMovable: Moved = { has: canOnlyMove }

/** What of a packet that has come by message can be moved on. */
export function movableIn(carried: unknown): object[] | undefined {
  if (!Array.isArray(carried)) return undefined
  return (carried as object[]).slice(1).filter((each) => tagOf(each) !== 'SharedArrayBuffer')
}

/** A copy of the value in this thread, as another one would get it. @throws NotSendable, and as {@link receive} */
export function copyValue<T>(value: T, origin?: ValueOrigin, transfer?: Moved): T {
  const { carried, transfer: moved = [] } = carry(value, { transfer })
  useMarks(moved)
  return receive(structuredClone(carried, { transfer: moved as ArrayBuffer[] }), origin) as T
}

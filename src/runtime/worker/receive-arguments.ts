// The arguments of a call that came by message.

import { receive } from '../wire/codec/packet.js'
import { listOfNumbers, listOfOne } from '../wire/codec/small-integer.js'

export interface ReceivedArguments {
  readonly args: readonly unknown[]
  /** Why they cannot be read: its class is not registered here, for instance. That fails this call, and no other. */
  readonly problem?: { readonly error: unknown }
}

export function receiveArguments(
  carried: unknown,
  { name, isOne }: { name: string; isOne: boolean },
): ReceivedArguments {
  try {
    const value = receive(carried, { what: 'An argument', task: name, where: 'in the worker' })
    return { args: isOne ? listOfOne(value) : asArguments(value as unknown[]) }
  } catch (error) {
    return { args: [], problem: { error } }
  }
}

/** The reader makes a list of doubles where all are numbers: see small-integer.ts. */
function asArguments(list: readonly unknown[]): readonly unknown[] {
  return list.length > 0 && list.every((each) => typeof each === 'number') ? listOfNumbers(list) : list
}

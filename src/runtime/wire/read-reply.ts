// A reply that came by message, with its value as it is for the caller.

import { receive } from './codec/packet.js'
import { LAST_WHOLE_REPLY, REPLY_ERROR, REPLY_UNREADABLE } from './messages.js'

export interface Reply {
  readonly kind: number
  readonly value: unknown
}

/** One whose value cannot be read comes as REPLY_UNREADABLE: its value is the error then. Parts stay as they are. */
export function readReply(kind: number, carried: unknown, task: string): Reply {
  if (kind > LAST_WHOLE_REPLY) return { kind, value: carried }
  try {
    const origin =
      kind === REPLY_ERROR ? undefined : { what: 'The result', task, where: "in the caller's thread" }
    return { kind, value: receive(carried, origin) }
  } catch (error) {
    return { kind: REPLY_UNREADABLE, value: error }
  }
}

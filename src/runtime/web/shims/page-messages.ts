// Shim for errors/error-messages.ts: the part that a page needs.

import { callMessages } from '../../../errors/call-messages.js'
import { taskMessages, type Details } from '../../../errors/task-messages.js'

const messages: Readonly<Record<string, (details: Details) => string>> = { ...taskMessages, ...callMessages }

export function messageOf(code: string, details: Details): string {
  return messages[code]!(details)
}

// Shim for errors/error-messages.ts: the part that a page needs.

import { callErrorMessages } from '../../../errors/call-error-messages.js'
import { taskErrorMessages, type Details } from '../../../errors/task-error-messages.js'

const messages: Readonly<Record<string, (details: Details) => string>> = {
  ...taskErrorMessages,
  ...callErrorMessages,
}

export function messageOf(code: string, details: Details): string {
  return messages[code]!(details)
}

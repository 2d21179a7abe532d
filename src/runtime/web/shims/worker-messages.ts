// Shim for errors/error-messages.ts: the part that a worker needs.

import { taskMessages, type Details } from '../../../errors/task-messages.js'

const messages: Readonly<Record<string, (details: Details) => string>> = taskMessages

export function messageOf(code: string, details: Details): string {
  return messages[code]!(details)
}

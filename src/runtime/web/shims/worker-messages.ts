// Shim for errors/error-messages.ts: the part that a worker needs.

import { taskErrorMessages, type Details } from '../../../errors/task-error-messages.js'

const messages: Readonly<Record<string, (details: Details) => string>> = taskErrorMessages

export function messageOf(code: string, details: Details): string {
  return messages[code]!(details)
}

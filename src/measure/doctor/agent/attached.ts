// The side of doctor in a process that ran already: answers questions as the agent does, and leaves the process as it was when doctor goes.

import type { Socket } from 'node:net'
import { answerQuestions } from './answer-questions.js'
import { createLooks } from './answers.js'
import { sendLine } from './json-lines.js'
import type { AgentMessage } from './messages.js'
import { openV8Session } from './v8-session.js'

/** Holds nothing back, and sets no flag of V8: that would outlive the diagnosis. */
export function startAttached(socket: Socket): void {
  const looks = createLooks(openV8Session())
  socket.on('error', () => {})
  socket.once('close', () => looks.stop()) // also where doctor was killed, or could not be reached
  answerQuestions(socket, looks.answers)
  const { pid, version: node } = process
  sendLine(socket, { says: 'starts', pid, node, isClusterWorker: false } satisfies AgentMessage)
}

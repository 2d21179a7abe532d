// Replies to each question of doctor with what its answer gives, or with the error.

import type { Socket } from 'node:net'
import { onLines, sendLine } from './json-lines.js'
import type { AgentMessage, AgentQuestion } from './messages.js'
import type { QuestionHandlers } from './answers.js'

export function answerQuestions(socket: Socket, answers: QuestionHandlers): void {
  const send = (message: AgentMessage) => sendLine(socket, message)
  onLines<AgentQuestion>(socket, ({ id, ask, functions }) => {
    try {
      send({ says: 'replies', id, value: answers[ask](functions ?? []) })
    } catch (error) {
      send({ says: 'replies', id, error: String(error) })
    }
  })
}

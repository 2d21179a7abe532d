// Replies to each question of doctor with what its answer gives, or with the error.

import type { Socket } from 'node:net'
import { onLines, sendLine } from './json-lines.js'
import type { AgentNews, AgentQuestion } from './messages.js'
import type { Answers } from './answers.js'

export function answerQuestions(socket: Socket, answers: Answers): void {
  const tell = (news: AgentNews) => sendLine(socket, news)
  onLines<AgentQuestion>(socket, ({ id, ask, functions }) => {
    try {
      tell({ says: 'replies', id, value: answers[ask](functions ?? []) })
    } catch (error) {
      tell({ says: 'replies', id, error: String(error) })
    }
  })
}

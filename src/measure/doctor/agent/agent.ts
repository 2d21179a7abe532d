// The side of doctor that lives in the app: tells where it listens, and answers questions about its thread.

import cluster from 'node:cluster'
import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { createAnswers } from './answers.js'
import { onLines, sendLine, socketPath } from './json-lines.js'
import type { AgentNews, AgentQuestion, WholeRun } from './messages.js'
import { endProfile, keepFunctionsApart, openV8Session, scriptsOf, startProfile } from './v8-session.js'
import { watchListening } from './watch-listening.js'

/** Holds nothing back: a program that does not listen ends as it would by itself. */
export function startAgent(folder: string): void {
  const socket = connect(socketPath(folder)).unref()
  const tell = (news: AgentNews) => sendLine(socket, news)
  keepFunctionsApart()
  const session = openV8Session()
  const answers = createAnswers(session)
  socket.on('error', () => {})
  socket.on('close', () => process.exit(1)) // nobody diagnoses any more
  tell({ says: 'starts', pid: process.pid, isClusterWorker: cluster.isWorker })
  onLines<AgentQuestion>(socket, ({ id, ask, functions }) => {
    try {
      tell({ says: 'replies', id, value: answers[ask](functions ?? []) })
    } catch (error) {
      tell({ says: 'replies', id, error: String(error) })
    }
  })
  const startedAt = performance.now()
  startProfile(session) // of a script its whole run is of interest, and it may never return to the loop
  const writeRun = (exitCode: number) => {
    const seconds = (performance.now() - startedAt) / 1000
    const profile = endProfile(session)
    const scripts = scriptsOf(session)
    const run: WholeRun = { pid: process.pid, exitCode, seconds, requests: 0, profile, scripts }
    writeFileSync(join(folder, `run-${process.pid}.json`), JSON.stringify(run), { mode: 0o600 })
  }
  process.on('exit', writeRun)
  watchListening((place) => {
    process.off('exit', writeRun)
    endProfile(session)
    tell({ says: 'listens', ...place })
  })
}

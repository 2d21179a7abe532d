// The side of doctor that lives in the app: tells where it listens, and answers questions about its thread.

import cluster from 'node:cluster'
import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { answerQuestions } from './answer-questions.js'
import { createLooks, type QuestionHandlers } from './answers.js'
import { rememberLanguage } from '../state/language.js'
import { FREE_PORTS_VARIABLE, sendLine, agentSocketPath } from './json-lines.js'
import type { AgentMessage, WholeRun } from './messages.js'
import {
  endProfile,
  keepFunctionsApart,
  letFunctionsJoin,
  openV8Session,
  scriptsOf,
  startProfile,
  withoutOptimizing,
} from './v8-session.js'
import { watchListening } from './watch-listening.js'

/** Holds nothing back: a program that does not listen ends as it would by itself. */
export function startAgent(folder: string): void {
  const language = rememberLanguage() // the app is not loaded yet
  const socket = connect(agentSocketPath(folder)).unref()
  const send = (message: AgentMessage) => sendLine(socket, message)
  const session = openV8Session()
  withoutOptimizing(session, keepFunctionsApart) // for the profile of a script
  const threads = watchThreads()
  socket.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'ERR_ACCESS_DENIED') process.stderr.write(`threadwise: ${error.code}\n`) // doctor reads it
  })
  socket.on('close', () => process.exit(1)) // nobody diagnoses any more
  const { pid, version: node } = process
  send({ says: 'starts', pid, node, isClusterWorker: cluster.isWorker })
  answerQuestions(socket, withFunctionsApart(createLooks(session, language).answers, threads))
  const startedAt = performance.now()
  startProfile(session) // of a script its whole run is of interest, and it may never return to the loop
  const writeRun = (exitCode: number) => {
    const seconds = (performance.now() - startedAt) / 1000
    const profile = endProfile(session)
    const scripts = scriptsOf(session)
    const { user, system } = process.cpuUsage()
    const times = { seconds, requests: 0, cpuMs: (user + system) / 1000 }
    const run: WholeRun = { pid, node, exitCode, ...times, profile, scripts }
    writeFileSync(join(folder, `run-${pid}.json`), JSON.stringify(run), { mode: 0o600 })
  }
  process.on('exit', writeRun)
  let isServer = false
  watchListening(
    (place) => {
      if (!isServer) {
        process.off('exit', writeRun)
        endProfile(session)
        letFunctionsJoin() // until calls are counted
      }
      isServer = true
      send({ says: 'listens', ...place })
    },
    (other) => send({ says: 'listens otherwise', ...other }),
    process.env[FREE_PORTS_VARIABLE] !== undefined,
  )
}

/** Also in the profile, which follows the counts. Not where other threads run: that their V8 optimizes nothing now cannot be had. */
function withFunctionsApart(answers: QuestionHandlers, threads: ReadonlySet<Worker>): QuestionHandlers {
  return {
    ...answers,
    'count start'(functions) {
      answers['count start'](functions)
      if (threads.size === 0) keepFunctionsApart()
      return null
    },
  }
}

/** Those of the app that live. That of loaders (InternalWorker) is none of them: it has nothing to do once the app is loaded. */
function watchThreads(): ReadonlySet<Worker> {
  const threads = new Set<Worker>()
  process.on('worker', (thread) => {
    if (thread.constructor.name === 'InternalWorker') return
    threads.add(thread)
    thread.once('exit', () => threads.delete(thread))
  })
  return threads
}

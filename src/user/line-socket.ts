// Questions and answers over a control socket: a line of JSON each. One question at a time; the next one waits until it is answered.
// Both sides look at what they get: whoever listens may be of another version, or something else.

import type { Socket } from 'node:net'
import { isThreadwiseError, reviveThreadwiseError, type ErrorCode } from '../errors/errors.js'
import { connectTo } from './control-socket.js'

/** Why there is no answer, beside that nobody listens. */
const SILENT = 'SILENT'
const ENDED = 'ENDED'
const ODD = 'ODD'

export interface LineAnswers<Answer> {
  /** Undefined when it is none of this version. */
  readonly read: (line: string) => Answer | undefined
  /** A longer one, in characters, does not come from threadwise. */
  readonly most: number
}

/** An answer that tells of an error. Code null: it is not one of threadwise's. */
export interface Fault {
  readonly ok: false
  readonly code: string | null
  readonly message: string
}

/** Stays open from one question to the next, until close(). An error of the connection rejects the question that is open. */
export class LineConnection<Answer> {
  /** Resolves when it is closed, by whomever. */
  readonly closed: Promise<void>
  readonly #answers: LineAnswers<Answer>
  readonly #socket: Socket
  readonly #ready: Promise<Socket>
  #asking: { readonly resolve: (answer: Answer) => void; readonly reject: (error: Error) => void } | undefined
  #text = ''

  constructor(path: string, answers: LineAnswers<Answer>) {
    this.#answers = answers
    let isReady: (socket: Socket) => void
    this.#ready = new Promise((resolve) => (isReady = resolve))
    this.#socket = connectTo(path, (connected) => {
      connected.setEncoding('utf8').on('data', (data) => this.#take(String(data)))
      isReady(connected)
    })
    this.#socket.on('error', (error: NodeJS.ErrnoException) => {
      const isCut = ['ECONNRESET', 'EPIPE'].includes(error.code ?? '') // its process has ended
      this.#fail(isCut ? ended() : error)
    })
    this.closed = new Promise((resolve) =>
      this.#socket.on('close', () => {
        this.#fail(ended())
        resolve()
      }),
    )
  }

  /** A question may be asked. */
  get isFree(): boolean {
    return this.#asking === undefined && !this.#socket.destroyed
  }

  /** `limitMs`: for the whole answer; one that gives a letter now and then gives none. Default: no limit. */
  ask(request: object, limitMs?: number): Promise<Answer> {
    const late = () => this.#socket.destroy(silence(`No answer within ${limitMs} ms.`))
    const timer = limitMs === undefined ? undefined : setTimeout(late, limitMs)
    const answered = new Promise<Answer>((resolve, reject) => (this.#asking = { resolve, reject }))
    void this.#ready.then((socket) => socket.write(`${JSON.stringify(request)}\n`))
    return answered.finally(() => clearTimeout(timer))
  }

  close(): void {
    this.#socket.destroy()
  }

  #take(data: string): void {
    this.#text += data
    if (this.#text.length > this.#answers.most) return this.#refuse('Its answer has no end.')
    if (!this.#text.endsWith('\n')) return
    const answer = this.#answers.read(this.#text)
    this.#text = ''
    if (answer === undefined) return this.#refuse('It does not answer as a program of this version does.')
    this.#asking?.resolve(answer)
    this.#asking = undefined
  }

  #refuse(message: string): void {
    this.#socket.destroy(coded(ODD, message))
  }

  #fail(error: Error): void {
    this.#asking?.reject(error)
    this.#asking = undefined
  }
}

/** Asks one question over a connection of its own. */
export async function askLine<Answer>(
  path: string,
  request: object,
  answers: LineAnswers<Answer> & { readonly limitMs?: number | undefined },
): Promise<Answer> {
  const connection = new LineConnection(path, answers)
  try {
    return await connection.ask(request, answers.limitMs)
  } finally {
    connection.close()
  }
}

/** Answers the lines that come, in turn: who asks without reading the answers is not read either. `most`: characters of a line. */
export function answerLines(
  socket: Socket,
  most: number,
  answer: (line: string) => object | Promise<object>,
): void {
  let text = ''
  let isBusy = false
  const answerAll = async () => {
    isBusy = true
    for (let end = text.indexOf('\n'); end >= 0 && !socket.destroyed; end = text.indexOf('\n')) {
      const line = text.slice(0, end)
      text = text.slice(end + 1)
      socket.pause()
      const isTaken = socket.write(`${JSON.stringify(await answer(line))}\n`)
      if (!isTaken) await new Promise<void>((resolve) => socket.once('drain', resolve).once('close', resolve))
    }
    isBusy = false
    socket.resume()
  }
  socket.setEncoding('utf8')
  socket.on('error', () => {}) // who asks has gone
  socket.on('data', (data) => {
    text += String(data)
    if (text.length > most) return void socket.destroy()
    if (!isBusy) void answerAll()
  })
}

export function faultOf(error: unknown): Fault {
  return { ok: false, code: isThreadwiseError(error) ? error.code : null, message: (error as Error).message }
}

/** What faultOf() was made of. */
export function errorOf({ code, message }: Fault): Error {
  if (code === null) return new Error(message)
  return Object.assign(reviveThreadwiseError(message), { code: code as ErrorCode })
}

/** Nobody listens there. Any other error may be of a program in trouble, whose socket must stay. */
export function isNobody(error: unknown): boolean {
  return ['ECONNREFUSED', 'ENOENT'].includes(codeOf(error))
}

/** It has not answered in time: it is suspended, or its event loop is blocked. */
export function isSilent(error: unknown): boolean {
  return codeOf(error) === SILENT
}

/** It was there, and ended before it answered: it was killed. */
export function isEnded(error: unknown): boolean {
  return codeOf(error) === ENDED
}

/** Something else listens there, or a version whose answers have another form. */
export function isOdd(error: unknown): boolean {
  return codeOf(error) === ODD
}

export function silence(message: string): Error {
  return coded(SILENT, message)
}

function ended(): Error {
  return coded(ENDED, 'The program ended before it answered.')
}

function coded(code: string, message: string): Error {
  return Object.assign(new Error(message), { code })
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? ''
}

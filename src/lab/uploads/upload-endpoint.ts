// The server of the uploads experiment: POST / takes files as multipart/form-data, stores them, and tells what became of each.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import type { Readable, Writable } from 'node:stream'
import type { Executor } from '../../runtime/executor/executor.js'
import type { StoreAccess } from './s3-store.js'
import type * as tasks from './store-files.js'
import { md5Of, type FileOutcome, type FileToStore } from './store-files.js'
import { logUpload, request, wallClock } from './upload-log.js'

export interface EndpointPlan {
  /** How the files of a request are stored: one after the other, by fork and join, or each by a call of its own. */
  readonly way: 'in-turn' | 'fork-join' | 'each'
  /** Stands in the log. */
  readonly label: string
  readonly access: StoreAccess
  /** Path of busboy. */
  readonly busboy: string
  readonly log: string
  /** Workers among which fork and join divides the files. */
  readonly lanes: number
}

export interface Endpoint {
  readonly url: string
  /** Answers what has come, and takes no more. */
  close(): Promise<void>
}

const MAX_FILES = 1000
const MAX_BYTES = 64 * 2 ** 20
const OWNER = 'endpoint'

export async function startEndpoint(executor: Executor, plan: EndpointPlan): Promise<Endpoint> {
  const server = createServer((message, response) => {
    answer(message, response, { executor: executor, plan }).catch((error: unknown) => {
      if (!response.headersSent) response.writeHead(400)
      response.end(`${(error as Error).message}\n`)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeIdleConnections()
      await closed
    },
  }
}

type Tasks = typeof tasks
interface Service {
  readonly executor: Executor<Tasks>
  readonly plan: EndpointPlan
}

async function answer(message: IncomingMessage, response: ServerResponse, service: Service): Promise<void> {
  const { plan } = service
  const startMs = wallClock()
  const id = String(message.headers['x-request-id'] ?? crypto.randomUUID())
  const parts = await receiveFiles(message, plan.busboy)
  // From here on each log line has the id, on whatever worker it is written.
  const outcomes = await request.run({ id, way: plan.label, log: plan.log }, async () => {
    const files = parts.map(({ name, body }) => ({ access: plan.access, key: `${id}/${name}`, body }))
    for (const { key, body } of files)
      logUpload(OWNER, { event: 'received', file: key, bytes: body.length, md5: md5Of(body) })
    const stored = await storeAll(files, service)
    logUpload(OWNER, { event: 'answered', startMs, endMs: wallClock() })
    return stored
  })
  const isWhole = outcomes.every((outcome) => 'md5' in outcome)
  response.writeHead(isWhole ? 200 : 502, { 'content-type': 'application/json', 'x-request-id': id })
  response.end(JSON.stringify(outcomes))
}

async function storeAll(files: FileToStore[], { executor, plan }: Service): Promise<FileOutcome[]> {
  const storeOne = async (file: FileToStore): Promise<FileOutcome> => {
    try {
      return await executor.run('storeFile', [file])
    } catch (error) {
      return { key: file.key, problem: (error as Error).message } // its worker died, or the executor was closed
    }
  }
  if (plan.way === 'each') return Promise.all(files.map(storeOne))
  if (plan.way === 'fork-join') {
    const most = Math.max(1, Math.ceil(files.length / plan.lanes))
    const failed = (error: Error) => files.map(({ key }) => ({ key, problem: error.message }))
    return executor.run('storeFiles', [files, most]).catch(failed)
  }
  const outcomes: FileOutcome[] = []
  for (const file of files) outcomes.push(await storeOne(file))
  return outcomes
}

interface Part {
  readonly name: string
  readonly body: Buffer
}

/** The files of a request, whole. A request that breaks off, or has too much, stores nothing. */
function receiveFiles(message: IncomingMessage, busboy: string): Promise<Part[]> {
  const createParser = createRequire(import.meta.url)(busboy) as Busboy
  return new Promise((resolve, reject) => {
    const files: Promise<Part>[] = []
    const limits = { files: MAX_FILES, fileSize: MAX_BYTES }
    const parser = createParser({ headers: message.headers, limits })
    parser.on('file', (_field, stream, { filename }) => files.push(readFile(stream, filename)))
    parser.on('filesLimit', () => reject(new Error(`a request may have at most ${MAX_FILES} files`)))
    parser.on('error', reject)
    parser.on('close', () => resolve(Promise.all(files)))
    message.on('aborted', () => reject(new Error('the request broke off')))
    message.pipe(parser)
  })
}

async function readFile(stream: FileStream, name: string): Promise<Part> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk as Buffer)
  if (stream.truncated) throw new Error(`${name} has more than ${MAX_BYTES} bytes`)
  return { name, body: Buffer.concat(chunks) }
}

/** As far as this module uses it. */
type FileStream = Readable & { readonly truncated?: boolean }
type Busboy = (options: object) => Writable & {
  on(
    event: 'file',
    listener: (field: string, stream: FileStream, info: { filename: string }) => void,
  ): unknown
  on(event: 'filesLimit' | 'close', listener: () => void): unknown
}

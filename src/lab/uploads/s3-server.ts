// An S3 server on loopback for the uploads experiment: versitygw where it is installed, else s3rver from npm.
//
// versitygw gives an object its name once all of it is there, as S3 does. s3rver writes under the final name: whoever is
// killed while it stores leaves half a file there. That is why the first one is preferred, and the report says which it was.

import { spawn, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { accessSync, constants, mkdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createServer, type AddressInfo } from 'node:net'
import { delimiter, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

export interface S3Server {
  readonly name: 'versitygw' | 's3rver'
  /** An object is either whole or absent, whoever dies. */
  readonly isAtomic: boolean
  readonly endpoint: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  close(): void
}

const HOST = '127.0.0.1'
const START_MS = 10_000
const LOOK_MS = 20

/** The path of versitygw: VERSITYGW, or on the PATH. */
export function findVersitygw(env = process.env): string | undefined {
  const places = (env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'versitygw'))
  return [env.VERSITYGW, ...places].find((path) => path !== undefined && isExecutable(path))
}

/** Keeps its objects in `folder`. `s3rver` is the path of that package. */
export async function startS3Server(folder: string, s3rver: () => string): Promise<S3Server> {
  const binary = findVersitygw()
  mkdirSync(folder, { recursive: true })
  return binary === undefined ? startS3rver(folder, s3rver()) : startVersitygw(folder, binary)
}

async function startVersitygw(folder: string, binary: string): Promise<S3Server> {
  const port = await freePort()
  const accessKeyId = randomBytes(10).toString('hex')
  const secretAccessKey = randomBytes(20).toString('hex')
  // The shell ends the server when its standard input ends: also when this process is killed and can end nothing.
  const script = '"$@" >/dev/null 2>&1 </dev/null & trap "kill $!; wait" EXIT; read -r line'
  const args = ['-c', script, 'sh', binary, '--port', `${HOST}:${port}`, 'posix', folder]
  const env = { ...process.env, ROOT_ACCESS_KEY: accessKeyId, ROOT_SECRET_KEY: secretAccessKey }
  // In a group of its own: Ctrl-C is for the experiment, which then still wants to know what is stored.
  const child = spawn('sh', args, { env, stdio: ['pipe', 'ignore', 'ignore'], detached: true })
  const endpoint = `http://${HOST}:${port}`
  await answers(endpoint, child)
  child.unref()
  const close = () => void child.stdin.destroy()
  return { name: 'versitygw', isAtomic: true, endpoint, accessKeyId, secretAccessKey, close }
}

async function startS3rver(directory: string, path: string): Promise<S3Server> {
  const S3rver = createRequire(import.meta.url)(path) as S3rverClass
  const server = new S3rver({ address: HOST, port: 0, silent: true, directory })
  const { port } = await server.run()
  const [accessKeyId, secretAccessKey] = ['S3RVER', 'S3RVER'] // the only ones that it knows
  const close = () => void server.close().catch(() => {})
  return {
    name: 's3rver',
    isAtomic: false,
    endpoint: `http://${HOST}:${port}`,
    accessKeyId,
    secretAccessKey,
    close,
  }
}

type S3rverClass = new (options: object) => { run(): Promise<{ port: number }>; close(): Promise<void> }

/** Any answer will do: without a signature it is a refusal. */
async function answers(endpoint: string, child: ChildProcess): Promise<void> {
  const end = performance.now() + START_MS
  while (performance.now() < end && child.exitCode === null) {
    const answer = await fetch(endpoint).catch(() => undefined)
    if (answer) return void (await answer.arrayBuffer())
    await delay(LOOK_MS)
  }
  child.stdin!.destroy()
  throw new Error(`versitygw did not answer at ${endpoint} within ${START_MS / 1000} s`)
}

/** Of its own accord versitygw would not tell which port the system gave it. */
async function freePort(): Promise<number> {
  const server = createServer()
  const { port } = await new Promise<AddressInfo>((resolve) =>
    server.listen(0, HOST, () => resolve(server.address() as AddressInfo)),
  )
  await new Promise((resolve) => server.close(resolve))
  return port
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

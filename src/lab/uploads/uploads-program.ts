// The program of the uploads experiment: one call posts all files as one request, and every one of them must be stored.

import { createRandom } from '../../measure/stats/random.js'
import type { Executor } from '../../runtime/executor/executor.js'
import { md5Of, type FileOutcome } from './store-files.js'
import { startEndpoint, type EndpointPlan } from './upload-endpoint.js'

export interface UploadsPlan extends EndpointPlan {
  readonly count: number
  readonly bytes: number
}

const BOUNDARY = 'threadwise-lab-upload'
const WARM_UPS = 4
const WARM_UP_MS = 3000

export async function start(executor: Executor, plan: UploadsPlan): Promise<() => Promise<void>> {
  const { url } = await startEndpoint(executor, plan)
  const files = makeFiles(plan.count, plan.bytes)
  const expected = new Map(files.map(({ name, body }) => [name, md5Of(body)]))
  const body = multipartOf(files)
  const run = crypto.randomUUID().slice(0, 8)
  let next = 0
  const post = async () => {
    const id = `${plan.label.replaceAll(/\W+/g, '-')}/${run}-${next++}`
    const headers = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}`, 'x-request-id': id }
    const answer = await fetch(url, { method: 'POST', headers, body })
    const text = await answer.text()
    if (answer.status !== 200)
      throw new Error(`the endpoint answered ${answer.status}: ${text.slice(0, 300)}`)
    const outcomes = JSON.parse(text) as FileOutcome[]
    const isStored = (outcome: FileOutcome) =>
      'md5' in outcome && expected.get(outcome.key.slice(id.length + 1)) === outcome.md5
    if (outcomes.length !== files.length || !outcomes.every(isStored))
      throw new Error('what was stored is not what was sent')
  }
  await warmUp(post)
  return post
}

/** Each thread of a pool that grows loads the client on its first file: that is not to be in the figures. */
async function warmUp(post: () => Promise<void>): Promise<void> {
  const end = performance.now() + WARM_UP_MS
  for (let i = 0; i < WARM_UPS && performance.now() < end; i++) await post()
}

interface NamedFile {
  readonly name: string
  readonly body: Buffer
}

/** Files that no two of them are alike, and the same ones each time. */
export function makeFiles(count: number, bytes: number): NamedFile[] {
  const random = createRandom(3)
  const block = Buffer.from(Uint8Array.from({ length: Math.min(bytes, 4096) }, () => random() * 256))
  return Array.from({ length: count }, (_, i) => {
    const body = Buffer.alloc(bytes, block)
    body.write(`file ${i} `)
    return { name: `file-${String(i).padStart(4, '0')}.bin`, body }
  })
}

export function multipartOf(files: readonly NamedFile[], boundary = BOUNDARY): Buffer {
  const parts = files.flatMap(({ name, body }) => [
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="files"; filename="${name}"\r\nContent-Type: application/octet-stream\r\n\r\n`,
    ),
    body,
    Buffer.from('\r\n'),
  ])
  return Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)])
}

// The account of the uploads experiment: every file that the endpoint received, against what the store really holds.

import { md5Of } from './store-files.js'
import type { Store } from './s3-store.js'
import type { LogLine } from './upload-log.js'

export interface UploadAccount {
  /** Files that the endpoint had received. */
  readonly received: number
  /** Of these, the ones that the store holds whole. */
  readonly whole: number
  /** Keys of requests without an answer, by what the store holds of them. */
  readonly unanswered: { readonly stored: readonly string[]; readonly absent: readonly string[] }
  /** Keys that the store holds with other bytes than were received. */
  readonly broken: readonly string[]
  /** Keys that were confirmed, and that the store does not hold. */
  readonly lost: readonly string[]
}

type Received = Extract<LogLine, { event: 'received' }>

/** Compares length and MD5 of all objects; those of requests that were never answered are read back besides. */
export async function accountFor(lines: readonly LogLine[], store: Store): Promise<UploadAccount> {
  const received = lines.filter((line): line is Received => line.event === 'received')
  const answered = new Set(lines.flatMap((line) => (line.event === 'answered' ? [line.request] : [])))
  const confirmed = new Set(lines.flatMap((line) => (line.event === 'stored' ? [line.file] : [])))
  const objects = new Map((await store.list()).map((object) => [object.key, object]))
  const broken: string[] = []
  const unanswered = { stored: [] as string[], absent: [] as string[] }
  let whole = 0
  for (const { file, bytes, md5, request } of received) {
    const object = objects.get(file)
    const isDue = !answered.has(request)
    if (!object) {
      if (isDue) unanswered.absent.push(file)
      continue
    }
    const isSame = object.bytes === bytes && object.md5 === md5
    const isWhole = isSame && (!isDue || md5Of(await store.read(file)) === md5)
    if (isWhole) whole++
    else broken.push(file)
    if (isWhole && isDue) unanswered.stored.push(file)
  }
  const lost = [...confirmed].filter((file) => !objects.has(file))
  return { received: received.length, whole, unanswered, broken, lost }
}

const NAMED = 3

/** The account in sentences. */
export function describeAccount(account: UploadAccount): string[] {
  const { received, whole, unanswered, broken, lost } = account
  const { stored, absent } = unanswered
  const pending = stored.length + absent.length
  return [
    `The store was listed at the end: it holds ${whole} of the ${received} files that the endpoint received, each with the length and the MD5 of what was sent.`,
    pending > 0 &&
      `Requests that had no answer yet when it was stopped: of their ${pending} files ${stored.length} are stored, read back whole${named(stored)}, and ${absent.length} are not stored at all${named(absent)}.`,
    broken.length > 0 && `Stored with other bytes than were sent: ${broken.length}${named(broken)}.`,
    lost.length > 0 && `Confirmed, and yet not in the store: ${lost.length}${named(lost)}.`,
  ].filter((sentence) => sentence !== false)
}

function named(keys: readonly string[]): string {
  if (keys.length === 0) return ''
  return ` (${keys.slice(0, NAMED).join(', ')}${keys.length > NAMED ? ', …' : ''})`
}

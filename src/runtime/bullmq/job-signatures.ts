// Jobs, results and reasons as they are signed where a queue has a secret: then whoever can write to the store can neither have a task run nor give
// a result. He can have a job run again that he has seen, with its own id.

import type { JobData, JobResult } from '../queue/messages.js'
import type { Seal } from './connection/seal.js'
import type { NewJob } from '../queue/store.js'

const MARK = '\nsigned:'

type Named = Pick<NewJob, 'id' | 'task' | 'made'>

function partsOfJob({ id, task, made }: Named, data: JobData): unknown[] {
  const parts = Object.entries(data).filter(([name]) => name !== 'signature')
  return ['job', id, task, made, parts.sort(([a], [b]) => (a < b ? -1 : 1))]
}

export function signedJob(job: NewJob, seal: Seal): JobData {
  return seal.signs ? { ...job.data, signature: seal.sign(partsOfJob(job, job.data)) } : job.data
}

export function isSignedJob(job: Named & { readonly data: JobData }, seal: Seal): boolean {
  return !seal.signs || seal.isSigned(partsOfJob(job, job.data), job.data.signature)
}

export function signResult(id: string, result: JobResult, seal: Seal): JobResult {
  const { payload, ms } = result
  return seal.signs ? { ...result, signature: seal.sign(['result', id, payload, ms]) } : result
}

/** False: no worker of ours has given it. */
export function signedResult(id: string, { payload, ms, signature }: JobResult, seal: Seal): boolean {
  return !seal.signs || seal.isSigned(['result', id, payload, ms], signature)
}

export function signReason(id: string, reason: string, seal: Seal): string {
  return seal.signs ? `${reason}${MARK}${seal.sign(['reason', id, reason])}` : reason
}

/** Undefined: no worker of ours has given it. */
export function signedReason(id: string, text: string, seal: Seal): string | undefined {
  const reason = withoutSignature(text)
  if (!seal.signs) return reason
  const signature = text.slice(reason.length + MARK.length)
  return seal.isSigned(['reason', id, reason], signature) ? reason : undefined
}

export function withoutSignature(reason: string): string {
  const at = reason.lastIndexOf(MARK)
  return at < 0 ? reason : reason.slice(0, at)
}

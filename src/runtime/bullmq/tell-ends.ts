// When a job has ended: how long that is kept, and what its caller is told. In the step in which it ends where the store can, which saves the caller
// a way there and back; otherwise right after it.

import type { Job } from 'bullmq'
import { ORPHAN_MS, type StoreConnection, type End, type Marks } from './connection/connection.js'
import type { Seal } from './connection/seal.js'
import { withoutSignature } from './job-signatures.js'
import type { JobData, JobResult, ToCaller } from '../queue/messages.js'
import type { WorkerStore } from '../queue/store.js'
import type { Sweeper } from './sweeper.js'

export interface EndsOptions {
  readonly queue: string
  readonly connection: StoreConnection
  readonly marks: Marks
  readonly seal: Seal
  readonly sweeper: Sweeper
  readonly tell: WorkerStore['tell']
}

export interface Ends {
  /** To be called once BullMQ has made the worker, before it takes jobs. */
  join(): void
  /** To be called with each job of ours that was taken. `isLeft`: the last of its callers has gone. */
  watch(job: Job, isLeft: () => boolean): void
}

export function createEnds({ queue, connection, marks, seal, sweeper, tell }: EndsOptions): Ends {
  const { atEnd, maxMessage } = connection
  const ends = new Map<string, { readonly end: End; isDone: boolean }>()
  const join = () =>
    atEnd?.(queue, (id) => {
      const ending = ends.get(id)
      if (ending) ending.isDone = true
      return ending?.end
    })
  /** Who has asked for its id since then adds it anew. */
  const discard = async (job: Job, move: () => Promise<unknown>) => {
    const [{ reply }, id] = [job.data as JobData, job.id!]
    const ending = { end: { id, ms: ORPHAN_MS, told: [] }, isDone: false }
    if (atEnd) ends.set(id, ending)
    const moved = await move().finally(() => ends.get(id) === ending && ends.delete(id))
    await marks.discard(id).catch(() => {}) // a later sweep finds it
    void tell(reply, { type: 'ended', id })
    return moved
  }
  const moveWith = async <Result>(job: Job, whole: Ended, move: () => Promise<Result>): Promise<Result> => {
    const { keep, unseen, reply } = job.data as JobData
    const { id } = whole
    const kept = { id, ms: Math.max(keep, unseen), starts: job.attemptsStarted }
    const message: ToCaller = sizeOf(whole) <= maxMessage ? whole : { type: 'ended', id }
    const ending = { end: { ...kept, told: atEnd ? seal.tell(reply, message) : [] }, isDone: false }
    if (atEnd) ends.set(id, ending)
    const moved = await move().finally(() => ends.get(id) === ending && ends.delete(id))
    if (!ending.isDone) {
      void marks.keep([kept]).catch(() => {}) // a later sweep finds it
      void tell(reply, message)
    }
    sweeper.plan(keep)
    return moved
  }
  const watch = (job: Job, isLeft: () => boolean) => {
    const id = job.id!
    const [complete, fail] = [job.moveToCompleted.bind(job), job.moveToFailed.bind(job)]
    job.moveToCompleted = (result, ...rest) =>
      moveWith(job, { type: 'done', id, result: result as JobResult }, () => complete(result, ...rest))
    job.moveToFailed = ((error: Error, ...rest: [string, boolean?]) => {
      const reason = withoutSignature(error.message)
      if (isLeft()) return discard(job, () => fail(error as never, ...rest))
      return moveWith(job, { type: 'failed', id, reason }, () => fail(error as never, ...rest))
    }) as typeof job.moveToFailed
  }
  return { join, watch }
}

type Ended = Extract<ToCaller, { readonly type: 'done' | 'failed' }>

function sizeOf(message: Ended): number {
  return message.type === 'done' ? message.result.payload.length : JSON.stringify(message.reason).length
}

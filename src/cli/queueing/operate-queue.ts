// `threadwise queue NAME ACTION`: what an operator does to a queue. What cannot be undone is asked for first.

import { checkOption } from '../../errors/check-options.js'
import { toJson } from '../../measure/report/figures/json.js'
import { alignColumns } from '../../measure/report/terminal/text-table.js'
import { jobs, type JobInfo, type QueueJobs } from '../../runtime/bullmq/queue-jobs.js'
import { askYesOrNo, canAsk } from '../terminal/ask.js'
import { plain } from '../terminal/plain.js'
import type { QueueFlags } from './queue-flags.js'

export const ACTIONS = 'failures, status, retry, remove, cancel, pause, resume, drain'
const WITH_ID = ['status', 'retry', 'remove', 'cancel']
const MANY = ['retry', 'remove']
/** Failures that are shown, or done at once. */
const SHOWN = 100
const ALL = 10_000

interface Action {
  readonly queue: string
  readonly action: string
  readonly id: string | undefined
}

/** Returns the exit code: 1 where there was nothing to do it to, or the answer was no. */
export async function operateQueue(action: Action, flags: QueueFlags): Promise<number> {
  checkAction(action, flags)
  const { connection, prefix, secret } = flags
  await using queue = jobs({
    queue: action.queue,
    connection,
    ...(prefix !== undefined && { prefix }),
    ...(secret && { secret }),
  })
  if (action.action === 'failures') return show(await queue.failures(SHOWN), flags)
  if (action.action === 'status') return showOne(await queue.status(action.id!), action.id!, flags)
  if (!(await isAgreed(action, flags))) return 1
  return await act(queue, action, flags) // before its connection ends
}

function checkAction({ action, id }: Action, { all }: QueueFlags): void {
  checkOption(ACTIONS.split(', ').includes(action), 'the action', `one of ${ACTIONS}`, action)
  const needsId = WITH_ID.includes(action) && !(all && MANY.includes(action))
  const expected = MANY.includes(action)
    ? `the id of a job, or --all (${action} ID)`
    : `the id of a job (${action} ID)`
  checkOption(!needsId || id !== undefined, 'the id', expected, id)
  const takesAll = !all || MANY.includes(action)
  checkOption(takesAll, '--all', `given with ${MANY.join(' or ')} only`, action)
  const takesId = id === undefined || (WITH_ID.includes(action) && !all)
  checkOption(takesId, 'the id', `absent for ${action}${all ? ' --all' : ''}`, id)
}

async function act(queue: QueueJobs, { action, id }: Action, { all }: QueueFlags): Promise<number> {
  if (action === 'pause' || action === 'resume' || action === 'drain') {
    await queue[action]()
    return say(
      { pause: 'is paused: no job is started', resume: 'goes on', drain: 'has no job that waits' }[action],
    )
  }
  const one = action as 'retry' | 'remove' | 'cancel'
  const ids = all && one !== 'cancel' ? (await queue.failures(ALL)).map((job) => job.id) : [id!]
  let count = 0
  for (const each of ids) if (await queue[one](each)) count++
  const done = { retry: 'are run again', remove: 'are removed', cancel: 'are cancelled' }[one]
  say(`${count} of ${ids.length} jobs ${done}`)
  return count > 0 || all ? 0 : 1
}

/** In a script, where nobody can answer, it has to be said beforehand. */
async function isAgreed({ queue, action, id }: Action, { all, yes }: QueueFlags): Promise<boolean> {
  if (yes) return true
  const what = all ? `${action} all failed jobs of` : id === undefined ? action : `${action} ${id} of`
  checkOption(canAsk(), '--yes', `given where nobody can be asked (${action})`, 'nothing')
  return askYesOrNo(`${what} queue ${queue}?`)
}

function show(failures: readonly JobInfo[], { json }: QueueFlags): number {
  process.stdout.write(json ? toJson(failures) : describeFailures(failures))
  return 0
}

function showOne(job: JobInfo | undefined, id: string, { json }: QueueFlags): number {
  if (!job) return say(`there is no job ${plain(id)}`, 1)
  const { task, state, args, result, error } = job
  const lines = [
    `${job.id}: ${task}, ${state}`,
    `arguments: ${args}`,
    result && `result: ${result}`,
    error && `error: ${error}`,
  ]
  const text = lines.filter((line) => line).map((line) => plain(line!))
  process.stdout.write(json ? toJson(job) : `${text.join('\n')}\n`)
  return 0
}

export function describeFailures(failures: readonly JobInfo[]): string {
  if (failures.length === 0) return 'No failed job is kept.\n'
  const rows = failures.map(({ id, task, error }) => [id, task, error ?? ''].map(plain))
  return `${alignColumns([['FAILED', 'TASK', 'ERROR'], ...rows]).join('\n')}\n`
}

function say(text: string, code = 0): number {
  process.stderr.write(`threadwise queue: ${text}\n`)
  return code
}

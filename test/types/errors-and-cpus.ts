// What the types of errors, the CPU budget and 'threadwise/task' promise. Compiled by types.test.js, never run.

import { cpuBudget, isThreadwiseError, ThreadwiseError, wholeCpus } from 'threadwise'
import type { CpuBudget, ErrorCode } from 'threadwise'
import { task, type WorkerInfo } from 'threadwise/task'
import { same } from './same.js'

export function errors(caught: unknown): string {
  if (!isThreadwiseError(caught)) return String(caught)
  same<typeof caught, ThreadwiseError>(true)
  same<typeof caught.code, ErrorCode>(true)
  const error: Error = caught
  // @ts-expect-error -- codes are a closed list: a typing mistake is found
  if (caught.code === 'TW_ERR_TIMEOUTS') return ''
  switch (caught.code) {
    case 'TW_ERR_TIMEOUT':
    case 'TW_ERR_WORKER_EXITED':
    case 'TW_ERR_NOT_CLONEABLE':
    case 'TW_ERR_CLOSED':
    case 'TW_ERR_DESTROYED':
    case 'TW_ERR_START_FAILED':
    case 'TW_ERR_START_TIMEOUT':
    case 'TW_ERR_TASK_NOT_FOUND':
    case 'TW_ERR_INVALID_OPTION':
    case 'TW_ERR_INVALID_CALL':
      return caught.code
  }
  return error.message
}

export function readOnly(error: ThreadwiseError): void {
  // @ts-expect-error -- a code is for reading
  error.code = 'TW_ERR_TIMEOUT'
}

export function cpus(): number {
  const budget = cpuBudget()
  same<typeof budget, CpuBudget>(true)
  same<typeof budget.cpus, number>(true)
  // @ts-expect-error -- there is no such field
  same<typeof budget.cores, number>(true)
  return wholeCpus(budget.cpus)
}

export async function insideATask(url: string): Promise<WorkerInfo> {
  same<typeof task.signal, AbortSignal>(true)
  same<typeof task.worker.name, string>(true)
  same<typeof task.worker.id, number>(true)
  await fetch(url, { signal: task.signal })
  // @ts-expect-error -- the signal belongs to the caller
  task.signal = AbortSignal.abort()
  return task.worker
}

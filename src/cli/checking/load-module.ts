// Loads one task module as a worker of each kind would, in a process of its own: what loading it prints, by whatever way, is not on the
// standard output of the check, and what ends its process does not end the check.

import { fork } from 'node:child_process'
import { pathToFileURL } from 'node:url'
import { describe, isThreadwiseError } from '../../errors/errors.js'
import { processes } from '../../runtime/processes/processes-executor.js'
import { threads } from '../../runtime/threads/threads-executor.js'
import type { WorkerKind } from './find-modules.js'

/** How a module loads in one kind of worker. */
export interface LoadCheck {
  readonly executor: WorkerKind
  /** Why it does not load; null: it does. */
  readonly problem: string | null
}

/** The other side, in the process of its own: the hidden option of `threadwise check`. */
export const INSIDE = '--inside'

export function loadModule(file: string, kinds: readonly WorkerKind[]): Promise<LoadCheck[]> {
  return new Promise((resolve) => {
    let loads: LoadCheck[] = []
    // 2: standard error of this process
    const child = fork(process.argv[1]!, ['check', INSIDE, '--', file, ...kinds], {
      stdio: ['ignore', 2, 2, 'ipc'],
    })
    child.on('message', (told: LoadCheck) => (loads = [...loads, told]))
    const end = (reason: string) => {
      const untold = kinds.filter((kind) => !loads.some(({ executor }) => executor === kind))
      resolve([...loads, ...untold.map((executor) => ({ executor, problem: reason }))])
    }
    child.once('error', ({ message }) => end(message))
    child.once('close', (code, signal) =>
      end(`loading it ended the process, ${signal ? `by ${signal}` : `with exit code ${code}`}`),
    )
  })
}

export async function loadInside([file, ...kinds]: readonly string[]): Promise<void> {
  for (const executor of kinds as WorkerKind[]) {
    const problem = await problemIn(executor, file!)
    await new Promise((told) => process.send!({ executor, problem }, told))
  }
  process.exit()
}

const makers = { threads, processes }

async function problemIn(executor: WorkerKind, file: string): Promise<string | null> {
  const pool = makers[executor](pathToFileURL(file), { size: 1, onWorkerError: () => {} })
  try {
    await pool.ready
    return null
  } catch (error) {
    return isThreadwiseError(error) ? `${error.message} [${error.code}]` : describe(error)
  } finally {
    await pool.destroy()
  }
}

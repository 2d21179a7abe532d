// What speaks to PostgreSQL for BullMQ: its own backend, in the schema that was named, by the clock of the database, and with adds that are
// guarded. By the clocks of its workers a job would be taken from one whose clock is behind.

import type * as BullMq from 'bullmq'
import { GUARDED_ADD, NOW } from './postgres-marks.js'

type Asks = (text: string, values?: readonly unknown[]) => Promise<unknown>

/** What is used of it, some of which its types do not show. */
interface Inside {
  readonly connection: object
  run(command: string, values: readonly unknown[]): Promise<unknown>
  query: Asks
}

/** Which values of which statement are the time of day. */
const TIMES: Readonly<Record<string, readonly number[]>> = {
  move_to_active: [4],
  move_to_completed: [5],
  move_to_completed_fetch: [5, 10],
  move_to_failed: [6],
  move_to_failed_fetch: [6, 11],
  move_stalled_jobs_to_wait: [3],
  extend_lock: [5],
  extend_locks: [5],
  next_signal: [3],
}

/** BullMQ takes the schema from options of a pool that it makes itself, which would not be patient. */
export function backendIn(schema: string, { createPostgresBackend }: typeof BullMq): BullMq.BackendFactory {
  return (...args) => {
    const made = (createPostgresBackend as BullMq.BackendFactory)(...args)
    const backend = made as unknown as Inside
    Object.assign(backend.connection, { schema })
    const run = backend.run.bind(backend)
    const query = backend.query.bind(backend)
    let command = '' // run() asks at once
    const own: Pick<Inside, 'run' | 'query'> = {
      run(name, values) {
        command = name
        const answer = run(name, values)
        command = ''
        return answer
      },
      query: (text, values) => query(statement(command, text), values),
    }
    return Object.assign(made, { schema, ...own })
  }
}

/** The value stays in it: PostgreSQL wants each one to be used. */
function statement(command: string, text: string): string {
  if (command === 'add_jobs_bulk') return GUARDED_ADD
  return (TIMES[command] ?? []).reduce(
    (all, n) => all.replaceAll(new RegExp(`\\$${n}(?!\\d)`, 'g'), `coalesce(${NOW}, $${n})`),
    text,
  )
}

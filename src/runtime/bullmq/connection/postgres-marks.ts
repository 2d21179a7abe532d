// What is kept beside the jobs of a queue in PostgreSQL: a table with a mark for each job, by the clock of the database.

import type { KeptJob, Withdrawal } from '../../queue/store.js'
import type { PgPool } from 'bullmq'
import {
  ADD_MS,
  GONE_MS,
  KNOWN_JOB,
  LATE_JOB,
  ORPHAN_MS,
  SWEEP,
  type FoundJob,
  type Marks,
  type Owner,
} from './connection.js'

export const NOW = '(extract(epoch from clock_timestamp()) * 1000)::bigint'

/** `kind`: kept until then; gone, or withdrawn, at that time; alive: nothing but a write. */
export const TABLES = `create table if not exists threadwise_mark
  (queue text, id text, kind text not null, at_ms bigint not null, starts int, primary key (queue, id));
create index if not exists threadwise_mark_at on threadwise_mark (queue, kind, at_ms);
create table if not exists threadwise_secret (one boolean primary key default true check (one), secret text not null)`

/** In place of BullMQ's own statement. $1 queue, $2 jobs; gives an id for each, or why it was not added. */
export const GUARDED_ADD = `with judged as materialized (
  select e, ord, e ->> 'id' as id, exists (select from job j where j.queue = $1 and j.id = e ->> 'id') as there,
    abs(${NOW} - (e ->> 'timestamp')::bigint) > ${ADD_MS} as late,
    exists (select from threadwise_mark m where m.queue = $1 and m.id = e ->> 'id'
      and m.kind in ('gone', 'withdrawn') and (e ->> 'timestamp')::bigint <= m.at_ms) as known
  from jsonb_array_elements($2::jsonb) with ordinality as given(e, ord)
), added as materialized (
  select count(*) from add_jobs_bulk($1,
    coalesce((select jsonb_agg(e order by ord) from judged where not (there or late or known)), '[]'::jsonb))
)
select case when there then id when late then '${LATE_JOB}' when known then '${KNOWN_JOB}' else id end as id
from judged, added order by ord`

/**
 * When a job has gone, as adds of it see it: never before it was made, or one that comes again would be a new one. Callers know the clock of the
 * database by half of a way there and back.
 */
const goneAt = (made: string) => `greatest(${NOW}, least(${made}, ${NOW} + ${ADD_MS}))`

const LOOK = `select asked.id, j.state::text, j.return_value::text as result, j.failed_reason as reason, m.kind
from unnest($2::text[]) with ordinality as asked(id, n)
left join job j on j.queue = $1 and j.id = asked.id
left join threadwise_mark m on m.queue = $1 and m.id = asked.id and j.id is null
order by n`

const WITHDRAW = `with removed as (
  delete from job where queue = $1 and id = $2 and state in ('waiting', 'delayed') returning id, added_at_ms
), marked as (
  insert into threadwise_mark select $1, id, $3, ${goneAt('added_at_ms')} from removed
  on conflict (queue, id) do update set kind = excluded.kind, at_ms = excluded.at_ms
)
select (select count(*)::int from removed) as removed,
  (select added_at_ms from job where queue = $1 and id = $2 and state = 'active') as made`

const DISCARD = `with removed as (
  delete from job where queue = $1 and id = $2 and state = 'failed' returning id, added_at_ms
)
insert into threadwise_mark select $1, id, 'withdrawn', ${goneAt('added_at_ms')} from removed
on conflict (queue, id) do update set kind = excluded.kind, at_ms = excluded.at_ms`

const KEEP = `insert into threadwise_mark
select $1, id, 'kept', ${NOW} + ms, starts from unnest($2::text[], $3::bigint[], $4::int[]) as ended(id, ms, starts)
on conflict (queue, id) do update set kind = excluded.kind, at_ms = excluded.at_ms, starts = excluded.starts`

const RELEASE = `update threadwise_mark m set at_ms = least(m.at_ms, ${NOW} + ms)
from unnest($2::text[], $3::bigint[]) as seen(id, ms) where m.queue = $1 and m.id = seen.id and m.kind = 'kept'`

/** Ends of which nobody has said how long they are kept. Jobs that others have put into the queue are theirs. */
const ADOPT = `insert into threadwise_mark
select $1, j.id, 'kept', ${NOW} + ${ORPHAN_MS} from job j
left join threadwise_mark m on m.queue = j.queue and m.id = j.id and m.kind = 'kept'
where j.queue = $1 and j.state in ('completed', 'failed') and m.id is null
  and j.id ~ '^(id-|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}-[0-9])' limit ${SWEEP}
on conflict (queue, id) do update set kind = excluded.kind, at_ms = excluded.at_ms`

const REMOVE = `with due as (
  select id from threadwise_mark where queue = $1 and kind = 'kept' and at_ms <= ${NOW}
  order by at_ms limit ${SWEEP} for update skip locked
), removed as (
  delete from job where queue = $1 and id in (select id from due) and state in ('completed', 'failed')
  returning id, added_at_ms
)
update threadwise_mark m set kind = 'gone', at_ms = ${goneAt('coalesce(removed.added_at_ms, 0)')}
from due left join removed on removed.id = due.id where m.queue = $1 and m.id = due.id`

const FORGET = `delete from threadwise_mark where queue = $1 and kind <> 'kept' and at_ms < ${NOW} - ${GONE_MS}`
/** They hold results, too, and are counted, not measured. */
const TRIM = `delete from event where queue = $1 and id < (select max(id) from event where queue = $1)`
const NEXT = `select min(at_ms) - ${NOW} as ms from threadwise_mark where queue = $1 and kind = 'kept'`

const WRITE = `insert into threadwise_mark values ($1, '', 'alive', ${NOW})
on conflict (queue, id) do update set at_ms = excluded.at_ms`
const OLDEST = `select min(added_at_ms) as made from job where queue = $1 and state = 'waiting'`
const OWNER = `select name, opts::text as opts, state not in ('waiting', 'delayed') as "isTaken" from job where queue = $1 and id = $2`
const STARTS = `select starts from threadwise_mark where queue = $1 and id = $2 and kind = 'kept'`

const CODES: Record<string, number> = { completed: 1, failed: 2 }

interface FoundRow {
  readonly state: string | null
  readonly result: string | null
  readonly reason: string | null
  readonly kind: string | null
}

export function postgresMarks(pool: PgPool, queue: string): Marks {
  const ask = async <Row>(text: string, ...values: readonly unknown[]) =>
    (await pool.query<Row>(text, [queue, ...values])).rows
  const idsOf = (jobs: readonly KeptJob[]) => [jobs.map(({ id }) => id), jobs.map(({ ms }) => Math.ceil(ms))]
  return {
    now: async () => Number((await pool.query<{ now: string }>(`select ${NOW} as now`)).rows[0]!.now),
    write: async () => void (await ask(WRITE)),
    async oldest() {
      const { made } = (await ask<{ made: string | null }>(OLDEST))[0]!
      return made === null ? undefined : Number(made)
    },
    look: async (ids) => (await ask<FoundRow>(LOOK, ids)).map(foundIn),
    async owner(id) {
      return (await ask<Owner>(OWNER, id))[0]
    },
    async withdraw(id, isFinal = false): Promise<Withdrawal> {
      const [row] = await ask<{ removed: number; made: string | null }>(
        WITHDRAW,
        id,
        isFinal ? 'gone' : 'withdrawn',
      )
      if (row!.removed > 0) return { state: 'withdrawn' }
      return row!.made === null ? { state: 'over' } : { state: 'taken', made: Number(row!.made) }
    },
    discard: async (id) => void (await ask(DISCARD, id)),
    async startsAtEnd(id) {
      return (await ask<{ starts: number | null }>(STARTS, id))[0]?.starts ?? undefined
    },
    keep: inOneGo(async (ended) => {
      await ask(
        KEEP,
        ...idsOf(ended),
        ended.map(({ starts = 1 }) => starts),
      )
    }),
    release: async (seen) => void (await ask(RELEASE, ...idsOf(seen))),
    async sweep() {
      for (const text of [ADOPT, REMOVE, FORGET, TRIM]) await ask(text)
      const ms = (await ask<{ ms: string | null }>(NEXT))[0]!.ms
      return ms === null ? undefined : Math.max(0, Number(ms))
    },
  }
}

/** While one statement is under way, the next one waits, with all that come meanwhile: each is written to the disk. */
function inOneGo(
  write: (jobs: readonly KeptJob[]) => Promise<void>,
): (jobs: readonly KeptJob[]) => Promise<void> {
  let waiting: KeptJob[] = []
  let writing: Promise<void> | undefined
  const writeAll = async () => {
    try {
      while (waiting.length > 0) {
        const jobs = new Map(waiting.map((job) => [job.id, job])) // one statement marks each id once
        waiting = []
        await write([...jobs.values()])
      }
    } finally {
      writing = undefined
    }
  }
  return (jobs) => {
    waiting.push(...jobs)
    return (writing ??= writeAll())
  }
}

function foundIn({ state, result, reason, kind }: FoundRow): FoundJob {
  if (state === null) return { code: kind === 'withdrawn' ? -2 : -1, value: '' }
  return { code: CODES[state] ?? 0, value: (state === 'completed' ? result : reason) ?? '' }
}

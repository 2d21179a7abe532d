// The stores of queues that tests run on: each starts one of its own, which can be killed, suspended and robbed of its jobs.
import { startPostgres, withoutPostgres } from './postgres.js'
import { startRedis, withoutRedis } from './redis.js'

/** `start(t)`: a store that keeps its jobs when it is killed. `missing`: why there is none here. */
export const STORES = [
  {
    name: 'Redis',
    missing: withoutRedis,
    start: (t) => startRedis(t, { appendonly: 'yes', appendfsync: 'always' }),
  },
  { name: 'PostgreSQL', missing: withoutPostgres, start: (t) => startPostgres(t) },
]

// What the types of load() promise. Compiled by types.test.js, never run.

import { load, type LoadLatency, type LoadOptions, type LoadResult } from 'threadwise/measure'
import { same } from './same.js'

export async function loads(): Promise<void> {
  const options: LoadOptions = { rate: 5, poisson: true, headers: { a: 'b' }, body: new Uint8Array(2) }
  const result = await load(new URL('http://localhost/'), options)
  same<typeof result, LoadResult>(true)
  same<typeof result.latency, LoadLatency>(true)
  same<LoadLatency['p99'], number | null>(true)
  same<typeof result.statuses, Record<string, number>>(true)
  // @ts-expect-error -- options are a closed list: a typing mistake is found
  await load('http://localhost/', { connection: 5 })
  // @ts-expect-error -- headers are an object
  await load('http://localhost/', { headers: ['a: b'] })
}

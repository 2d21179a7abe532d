import { createFileRoute } from '@tanstack/react-router'
import { createServerFn } from '@tanstack/react-start'
import { threads } from 'threadwise'
import type * as Tasks from '../lib/tasks'

const sum = createServerFn().handler(async () => {
  const pool = threads<typeof Tasks>(new URL('../lib/tasks.ts', import.meta.url), { name: 'sums', size: 1 })
  const got = await pool.tasks.add(40, 2).catch((error: any) => `${error.code} ${error.message}`)
  await pool.close()
  return String(got)
})
export const Route = createFileRoute('/')({
  loader: () => sum(),
  component: () => <p>sum {Route.useLoaderData()}</p>,
})

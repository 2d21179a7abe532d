// node examples/tracing/main.js: spans of one trace, from the caller's thread and from that of the task.
import { threads } from 'threadwise'
import { withTrace } from './carry-trace.js'
import { tracer } from './tracer.js'

const pool = threads(new URL('./tasks.js', import.meta.url))

await tracer.startActiveSpan('GET /report', async (span) => {
  await withTrace(() => Promise.all([pool.run('sum', [[1, 2]]), pool.run('sum', [[3, 4]])]))
  span.end()
})
await pool.close()

// The same tasks as a sandboxed processor of BullMQ takes them.
import * as tasks from './tasks.mjs'

export default async (job) => tasks[job.name](...job.data)

// A message for each call, and one for each reply.
import * as tasks from './tasks.js'

addEventListener('message', ({ data: { id, name, args } }) =>
  postMessage({ id, result: tasks[name](...args) }),
)

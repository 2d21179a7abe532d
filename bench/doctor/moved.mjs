// Tasks in place of functions of an app: those that the bench has moved, as doctor advised, to a thread.

/** Set by the bench: URLs of threadwise and of a task module that doctor has written, and the name of the task. */
const given = JSON.parse(process.env.MOVED ?? 'null')

/** Name -> task. Empty in the app that doctor looks at. */
export const moved = given === null ? {} : await load(given)

async function load({ threadwise, module, name }) {
  const { threads } = await import(threadwise)
  return { [name]: threads(new URL(module), { size: 1 }).tasks[name] }
}

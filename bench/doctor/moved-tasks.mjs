// Loaded before an app whose functions were moved: the tasks that stand in their place.
const { threadwise, tasks } = JSON.parse(process.env.MOVED)
const { threads } = await import(threadwise)

globalThis.movedTasks = Object.fromEntries(
  tasks.map(({ name, module }) => [
    name,
    threads(new URL(module), { size: 1, startTimeout: 60_000 }).tasks[name],
  ]),
)

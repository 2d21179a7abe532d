// What a page shows: the executor, the sum, and who has made it.
export async function answer({ kind, tasks }) {
  return `${kind} ${await tasks.add(40, 2)} ${await tasks.where()}`
}

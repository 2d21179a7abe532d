// Runtimes that run Node's programs without being Node.

/** Null: it is Node. */
export function otherRuntime(): 'Bun' | 'Deno' | null {
  if ('bun' in process.versions) return 'Bun'
  return 'deno' in process.versions ? 'Deno' : null
}

// Shim for executor/task-module.ts: a page names no module. What stands for it in messages is the code that starts a worker.

export function resolveModule(module: URL | string): string {
  return String(module)
}

export const resolveModules = resolveModule

// Shim for primitives/task-modules.ts: a page names no module, and a worker that makes a pool names another file.

export function startsItself(): boolean {
  return false
}

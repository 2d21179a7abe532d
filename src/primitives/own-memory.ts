// What this process holds. libuv reads the resident memory from /proc, and Node throws where there is none: in a jail, in a hardened container.

export interface OwnMemory {
  /** Bytes in RAM; null: nobody says. */
  readonly rss: number | null
  readonly heapUsed: number
  /** Bytes of buffers and of what else lies outside of the heap. */
  readonly external: number
}

export function ownMemory(): OwnMemory {
  try {
    return process.memoryUsage()
  } catch {
    const heap = process.getBuiltinModule('node:v8').getHeapStatistics()
    return { rss: null, heapUsed: heap.used_heap_size, external: heap.external_memory }
  }
}

/** Its resident memory alone, which takes less time. */
export function residentBytes(): number | null {
  try {
    return process.memoryUsage.rss()
  } catch {
    return null
  }
}

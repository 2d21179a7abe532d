// Which rows to measure: one process and clusters, each under each CPU limit, and the path that offloads beside them.

import type { ServerRow } from './server-trial.js'

export interface RowsRequest {
  readonly path: string
  readonly offloadPath: string | null
  readonly cpus: readonly number[]
  /** Undefined: chosen by the limit. */
  readonly instances: readonly number[] | undefined
}

/** Beyond, only powers of two and what the CPUs call for: each row costs seconds in each round. */
const EACH_UP_TO = 4

export function planRows(request: RowsRequest): ServerRow[] {
  return request.cpus.flatMap((cpus) => rowsAt(cpus, request))
}

function rowsAt(cpus: number, { path, offloadPath, instances }: RowsRequest): ServerRow[] {
  const sizes = instances ?? sizesFor(cpus)
  const single = (at: string, role: ServerRow['role']): ServerRow => {
    return {
      name: at === path ? 'one process' : `one process, ${at}`,
      way: 'single',
      path: at,
      instances: 1,
      cpus,
      role,
    }
  }
  const cluster = (at: string, size: number): ServerRow => {
    const name = `cluster of ${size}${at === path ? '' : `, ${at}`}`
    return { name, way: 'cluster', path: at, instances: size, cpus, role: 'other' }
  }
  const main = [single(path, 'baseline'), ...sizes.map((size) => cluster(path, size))]
  if (offloadPath === null) return main
  // Of clusters the one that uses all CPUs without threads: does it need them besides?
  const both = [wholeUp(cpus)].filter((size) => size > 1 && (instances?.includes(size) ?? true))
  return [...main, single(offloadPath, 'other'), ...both.map((size) => cluster(offloadPath, size))]
}

/** 1 up to the limit rounded up, and one more, which shows what too many cost. */
function sizesFor(cpus: number): number[] {
  const most = wholeUp(cpus)
  const all = Array.from({ length: most + 1 }, (_, index) => index + 1)
  return all.filter((size) => size <= EACH_UP_TO || size >= most || Number.isInteger(Math.log2(size)))
}

function wholeUp(cpus: number): number {
  return Math.max(1, Math.ceil(cpus - 1e-9))
}

// What a lab experiment found: the JSON of `threadwise lab NAME --json`, from which the table and the page are drawn.

import type { Cell, MachineFacts, NoiseFacts } from './result.js'
import type { ServerResult } from './server-result.js'

export interface LabResult {
  version: 1
  lab: string
  /** The question that the experiment answers. */
  question: string
  /** What this machine shows, in one sentence. */
  sentence: string
  /** Further facts worth knowing, a sentence each. */
  remarks: string[]
  tables: LabTable[]
  heatMaps: HeatMap[]
  /** What happened when, where an experiment logs it. */
  timelines?: Timeline[]
  cells: LabCell[]
  /** Servers that were measured as by `threadwise measure --server`. */
  servers?: LabServer[]
  machine: MachineFacts
  noise: NoiseFacts
  command: string
  complete: boolean
  date: string
}

export interface LabServer {
  title: string
  result: ServerResult
}

/** A measured cell behind the tables. */
export interface LabCell extends Cell {
  /** Names the row. */
  label: string
  /** Index in `cells` of the one that its ratio refers to. */
  baseline: number
}

export interface LabTable {
  title: string
  columns: string[]
  /** Text is aligned left, numbers right; null prints as a dash. */
  rows: (string | number | null)[][]
}

export interface HeatMap {
  title: string
  rowTitle: string
  columnTitle: string
  rows: string[]
  columns: string[]
  /** values[row][column]; null where nothing was measured. */
  values: (number | null)[][]
  /** Predicted cells are drawn paler and marked. */
  predicted: boolean[][]
  unit: string
}

/** Pieces of work side by side, from the start of what they belong to. */
export interface Timeline {
  title: string
  /** Milliseconds until all of it had ended. */
  endMs: number
  lanes: Lane[]
}

/** One worker; where it has several pieces of work at a time, each has a row of bars that do not overlap. */
export interface Lane {
  name: string
  rows: Bar[][]
}

export interface Bar {
  name: string
  startMs: number
  endMs: number
}

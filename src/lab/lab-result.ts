// What a lab experiment found: the JSON of `threadwise lab NAME --json`, from which the table and the page are drawn.

import type { Cell, MachineFacts, NoiseFacts } from '../measure/result.js'

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
  cells: LabCell[]
  machine: MachineFacts
  noise: NoiseFacts
  command: string
  complete: boolean
  date: string
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

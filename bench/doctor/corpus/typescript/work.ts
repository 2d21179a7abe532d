import { Kind, Level, Scale, Units, type Row } from './kinds.js'
import { spin } from '../spin.cjs'

const scale = new Scale(3)
const limits: Record<Kind, number> = { [Kind.Small]: 1, [Kind.Large]: 10 }

export function weigh(rows: readonly Row[]): { weight: number; sum: number } {
  const weight = rows.reduce((sum, { kind }) => sum + limits[kind] * Level.High, 0)
  return { weight, sum: spin(rows.length) as number }
}

export const scaled = <Value extends number>(value: Value): number =>
  scale.of(value) + Units.perRow + 0 * (spin(value) as number)

export class Totals {
  static of(rows: readonly Row[]): number {
    return rows.reduce((sum, { id }) => sum + id, 0 * (spin(rows.length) as number))
  }
}

let seen = 0
export function numbered(row: Row): { id: number; number: number; sum: number } {
  if (row.kind === Kind.Large) seen++
  return { id: row.id, number: row.kind === Kind.Large ? seen : 0, sum: spin(row.id) as number }
}

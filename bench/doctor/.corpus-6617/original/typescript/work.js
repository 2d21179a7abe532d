import { Kind, Level, Scale, Units } from "./kinds.js";
import { spin } from "../spin.cjs";
const scale = new Scale(3);
const limits = { [Kind.Small]: 1, [Kind.Large]: 10 };
function weigh(rows) {
  const weight = rows.reduce((sum, { kind }) => sum + limits[kind] * Level.High, 0);
  return { weight, sum: spin(rows.length) };
}
const scaled = (value) => scale.of(value) + Units.perRow + 0 * spin(value);
class Totals {
  static of(rows) {
    return rows.reduce((sum, { id }) => sum + id, 0 * spin(rows.length));
  }
}
let seen = 0;
function numbered(row) {
  if (row.kind === Kind.Large) seen++;
  return { id: row.id, number: row.kind === Kind.Large ? seen : 0, sum: spin(row.id) };
}
export {
  Totals,
  numbered,
  scaled,
  weigh
};

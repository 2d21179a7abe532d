import { Kind, Level, Scale, Units } from "./kinds.js";
import { spin } from "../spin.cjs";
const scale = new Scale(3);
const limits = { [Kind.Small]: 1, [Kind.Large]: 10 };
function weigh(...args) { return globalThis.movedTasks.weigh(...args) }
const scaled = (...args) => globalThis.movedTasks.scaled(...args);
class Totals {
  static of(...args) { return globalThis.movedTasks.of(...args) }
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

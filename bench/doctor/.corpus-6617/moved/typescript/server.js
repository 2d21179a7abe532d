import { serve } from "../serve.cjs";
import { Kind } from "./kinds.js";
import { numbered, scaled, Totals, weigh } from "./work.js";
const row = (query, n) => ({ id: n % 9, kind: query.rare ? Kind.Large : Kind.Small });
serve({
  "/weigh": async (query, n) => (await weigh([row(query, n), row(query, n + 1)])),
  "/scaled": async (query, n) => (await scaled(n % 9)),
  "/totals": async (query, n) => (await Totals.of([row(query, n), row(query, n + 1)])),
  "/numbered": (query, n) => numbered(row(query, n))
});

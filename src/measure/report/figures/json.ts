// Writes a result as the JSON that everything else can be drawn from again.

/**
 * JSON with the keys in the order given, two spaces of indentation and a newline at the end. NaN and Infinity, which JSON
 * has no word for, become null; `undefined` fields are left out.
 *
 * @example
 * await writeFile('result.json', toJson(result))
 */
export function toJson(value: unknown): string {
  return `${JSON.stringify(value, nullUnlessFinite, 2) ?? 'null'}\n`
}

/** JSON.stringify does this for numbers already, and throws for a bigint: a counter must not cost the user the report. */
function nullUnlessFinite(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value
}

// Sales as CSV: a part of the file is made, or read, by each task.
//
//   date,city,product,"a note, with commas",units,price

const CITIES = ['Graz', 'Linz', 'Wien', 'Bern', 'Genf', 'Ulm', 'Köln', 'Jena']
const PRODUCTS = ['lamp', 'table', 'chair', 'shelf']
/** Bytes of which no row has more. */
const LONGEST_ROW = 1024
const NEW_LINE = 10

/** Rows of about `bytes` bytes, the same each time. @returns {Blob} */
export function make(part, bytes) {
  let seed = part + 1
  const random = (count) => (seed = (seed * 48271) % 2147483647) % count
  const rows = []
  for (let size = 0; size < bytes; size += rows.at(-1).length) {
    const date = `2026-${String(1 + random(12)).padStart(2, '0')}-${String(1 + random(28)).padStart(2, '0')}`
    const names = `${CITIES[random(CITIES.length)]},${PRODUCTS[random(PRODUCTS.length)]}`
    rows.push(
      `${date},${names},"order ${random(1e6)}, ""express""",${1 + random(20)},${random(9999) / 100}\n`,
    )
  }
  return new Blob(rows)
}

/**
 * Adds up the rows that begin within these bytes of the file.
 *
 * @returns {Promise<{ rows: number, sales: Map<string, number> }>} sales: cents by city
 */
export async function add(file, from, to) {
  // One byte earlier: it tells whether a row begins at `from`.
  const start = Math.max(0, from - 1)
  const bytes = new Uint8Array(await file.slice(start, to + LONGEST_ROW).arrayBuffer())
  const first = from === 0 ? 0 : bytes.indexOf(NEW_LINE) + 1
  const end = to >= file.size ? bytes.length : bytes.indexOf(NEW_LINE, to - 1 - start) + 1
  const text = new TextDecoder().decode(bytes.subarray(first, end))
  const sales = new Map()
  let rows = 0
  for (let at = 0; at < text.length; rows++) {
    const row = readRow(text, at)
    const [, city, , , units, price] = row.fields
    sales.set(city, (sales.get(city) ?? 0) + Math.round(units * price * 100))
    at = row.end
  }
  return { rows, sales }
}

/** The fields of the row that begins there, and where the next one does. */
function readRow(text, start) {
  const fields = []
  let at = start
  for (;;) {
    const { field, end } = text[at] === '"' ? readQuoted(text, at + 1) : readPlain(text, at)
    fields.push(field)
    at = end + 1
    if (text[end] !== ',') return { fields, end: at }
  }
}

function readPlain(text, start) {
  let end = start
  while (end < text.length && text[end] !== ',' && text[end] !== '\n') end++
  return { field: text.slice(start, end), end }
}

/** A quote within is written twice. */
function readQuoted(text, start) {
  let end = text.indexOf('"', start)
  while (text[end + 1] === '"') end = text.indexOf('"', end + 2)
  return { field: text.slice(start, end).replaceAll('""', '"'), end: end + 1 }
}

// Which of the known words somebody meant who misspelled one.

/** A name of which few letters are wrong: most typing errors are one or two. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const distances = known.map((other) => editDistance(name.toLowerCase(), other.toLowerCase()))
  const least = Math.min(...distances)
  const near = known[distances.indexOf(least)]
  return near !== undefined && least <= Math.min(2, near.length / 2) ? near : undefined
}

/** " (did you mean shared?)", or nothing. */
export function didYouMean(value: unknown, known: readonly string[]): string {
  const near = typeof value === 'string' ? nearest(value, known) : undefined
  return near === undefined ? '' : ` (did you mean ${near}?)`
}

/** "input (did you mean inputs?)", of what is none of the known names of an object; undefined: it has no other. */
export function unknownName(object: object, known: readonly string[]): string | undefined {
  const name = Object.keys(object).find((each) => !known.includes(each))
  return name === undefined ? undefined : `${name}${didYouMean(name, known)}`
}

/** Letters to insert, remove or replace; by rows, as Wagner and Fischer (1974). */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const above = row
    row = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = above[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      row.push(Math.min(replaced, above[j]! + 1, row[j - 1]! + 1))
    }
  }
  return row[b.length]!
}

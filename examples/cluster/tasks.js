// Searches documents: tf-idf in two steps, as map and reduce.

const WORDS = 'alpha bravo charlie delta echo foxtrot golf hotel india juliett kilo lima mike november'.split(
  ' ',
)

/** The text of a document, which is made here so that no machine needs the files. */
function textOf(number) {
  let seed = number * 2654435761 + 1
  const words = []
  for (let i = 0; i < 3000; i++) {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
    words.push(WORDS[seed % WORDS.length])
  }
  return words.join(' ')
}

/** How often each word of the query stands in a document: [[number, [count, ...]]]. */
export function countIn({ number, query }) {
  const words = textOf(number).split(' ')
  return [[number, query.map((wanted) => words.filter((word) => word === wanted).length)]]
}

export function join(one, other) {
  return [...one, ...other]
}

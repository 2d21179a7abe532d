// Finds the words that are most like a misspelt one: synchronous work of some milliseconds.

const syllables = ['ba', 'do', 'fi', 'ku', 'la', 'me', 'no', 'pi', 'ra', 'so', 'ta', 've']
const words = syllables.flatMap((a) => syllables.flatMap((b) => syllables.map((c) => a + b + c)))

/** The three nearest words by edit distance. */
export function suggest(typed) {
  const ranked = words.map((word) => ({ word, distance: editDistance(typed, word) }))
  ranked.sort((a, b) => a.distance - b.distance)
  return ranked.slice(0, 3).map(({ word }) => word)
}

function editDistance(a, b) {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1)
      next[j] = Math.min(replaced, row[j] + 1, next[j - 1] + 1)
    }
    row = next
  }
  return row[b.length]
}

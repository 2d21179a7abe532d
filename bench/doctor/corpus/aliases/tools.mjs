export const bump = (entry) => {
  entry.used += 1
}
export const tools = {
  mark(row) {
    row.marked = true
  },
  measure: (row) => row.name.length,
}

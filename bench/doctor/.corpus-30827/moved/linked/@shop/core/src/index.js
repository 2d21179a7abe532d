// Linked into node_modules from another folder of the repository, as a workspace is.
let calls = 0
export const cap = (values, max) => {
  calls++
  return values.map((value) => Math.min(value, max))
}
export const callCount = () => calls
export const norm = (values) => values.map((value) => value / Math.max(...values))

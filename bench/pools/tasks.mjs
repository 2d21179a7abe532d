// The functions that every pool runs.

export const noop = () => {}
export const echo = (value) => value

/** A chain of divisions: its speed hardly depends on the tier of the optimising compiler. */
export function burn(divisions) {
  let value = 0.5
  for (let i = 0; i < divisions; i++) value = 1 / (value + 1.0001)
  return value
}

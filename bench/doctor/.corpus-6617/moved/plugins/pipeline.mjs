const steps = [(text) => text.trim()]
export const use = (step) => {
  steps.push(step)
}
export const run = (text) => steps.reduce((value, step) => step(value), text)
export const rules = new Map([['trim', (text) => text.trim()]])
export const filters = { upper: (text) => text.toUpperCase() }
export function register(name, filter) {
  filters[name] = filter
}

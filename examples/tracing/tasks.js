import { inTrace } from './carry-trace.js'
import { tracer } from './tracer.js'

export function sum(numbers) {
  return inTrace(() =>
    tracer.startActiveSpan('sum', (span) => {
      const total = numbers.reduce((a, b) => a + b, 0)
      span.end()
      return total
    }),
  )
}

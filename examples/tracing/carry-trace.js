// Carries the trace of a caller to the task that it calls: in the W3C header `traceparent`, as one service would to another.
import { context, propagation, ROOT_CONTEXT } from '@opentelemetry/api'
import { defineContext } from 'threadwise/task'

const traceparent = defineContext('traceparent')

/** Calls of tasks that `call` makes carry the span that is active now. */
export function withTrace(call) {
  const carrier = {}
  propagation.inject(context.active(), carrier)
  return traceparent.run(carrier.traceparent, call)
}

/** In a task: spans that `work` starts are children of the caller's. */
export function inTrace(work) {
  const parent = propagation.extract(ROOT_CONTEXT, { traceparent: traceparent.getStore() })
  return context.with(parent, work)
}

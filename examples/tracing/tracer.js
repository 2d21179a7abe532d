// OpenTelemetry, set up once in each thread; with a real exporter in place of this one, spans go to a collector.
import { trace } from '@opentelemetry/api'
import { NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node'
import { threadId } from 'node:worker_threads'

/** Prints each span as one line when it ends. */
const exporter = {
  export(spans, done) {
    for (const span of spans) {
      const { traceId, spanId } = span.spanContext()
      const parent = span.parentSpanContext?.spanId
      console.log(JSON.stringify({ name: span.name, threadId, traceId, spanId, parent }))
    }
    done({ code: 0 })
  },
  async shutdown() {},
}

new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register()

export const tracer = trace.getTracer('threadwise-example')

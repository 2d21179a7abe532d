// executor.stream on top of a pool: each stream is one call, with a listener among its options.

import type { ExecutorCore } from '../executor/from-core.js'
import { MAX_CREDIT } from '../protocol/messages.js'
import { enterLater } from '../task/define-context.js'
import type { CallOptions } from './call-listener.js'
import { createCallStream } from './call-stream.js'

type Submit = (name: string, args: readonly unknown[], options: CallOptions) => Promise<unknown>

const DEFAULT_WINDOW = 16

/** `window`: of all streams of this executor, whatever their options say. */
export function streamsOf(submit: Submit, window?: number): ExecutorCore['stream'] {
  return (name, args, options) => {
    const { highWaterMark = DEFAULT_WINDOW, onProgress } = options ?? {}
    const inContexts = enterLater()
    return createCallStream({
      name,
      window: window ?? Math.min(highWaterMark, MAX_CREDIT),
      onProgress,
      start: (listener) => inContexts(() => submit(name, args, { ...options, listener })),
    })
  }
}

// Prints what a worker has sent of its output.

import { Malformed } from '../../wire/codec/input.js'
import type { OutputMessage } from '../../wire/messages.js'
import { createLabeller, writeOutput, type Labeller, type Target } from './label-output.js'

export interface Printer {
  print(message: OutputMessage): void
  /** The worker has ended. */
  end(): void
}

/** `label`: what each line begins with, in brackets. */
export function createPrinter(label: string | undefined): Printer {
  const targets = { 1: streamOf('stdout'), 2: streamOf('stderr') }
  const labellers = new Map<1 | 2, Labeller>()
  const labellerOf = (to: 1 | 2): Labeller => {
    const labeller = labellers.get(to) ?? createLabeller(label!, targets[to])
    labellers.set(to, labeller)
    return labeller
  }
  return {
    print({ to, text }) {
      if ((to !== 1 && to !== 2) || (typeof text !== 'string' && !(text instanceof Uint8Array)))
        throw new Malformed('what was printed is no text')
      if (label === undefined) writeOutput(targets[to](), text)
      else labellerOf(to).write(text)
    },
    end() {
      for (const labeller of labellers.values()) labeller.end()
    },
  }
}

/** What takes the place of a stream for a while, as in somebody's tests, gets nothing of workers that were started before. */
function streamOf(name: 'stdout' | 'stderr'): () => Target {
  const own = Object.getOwnPropertyDescriptor(process, name)!
  return () => (own.get ? own.get.call(process) : own.value) as Target
}

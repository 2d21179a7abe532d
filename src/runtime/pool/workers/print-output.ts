// Prints what a worker has sent of its output.

import { isBytes } from '../../../primitives/any-realm.js'
import { Malformed } from '../../wire/codec/input.js'
import type { OutputMessage } from '../../wire/messages.js'
import {
  createLabeller,
  labelOutput,
  writeOutput,
  type Labeller,
  type OutputSource,
  type OutputTarget,
} from './label-output.js'

/** See the option of that name. */
export type Output = 'inherit' | 'labelled' | OutputStreams

/** Where workers print. */
export interface OutputStreams {
  readonly stdout?: NodeJS.WritableStream | undefined
  readonly stderr?: NodeJS.WritableStream | undefined
}

export interface Printer {
  print(message: OutputMessage): void
  /** The worker has ended. */
  end(): void
}

/** `label`: what each line begins with, in brackets. */
export function createPrinter(output: Output, name: string): Printer {
  const label = output === 'labelled' ? name : undefined
  const targets = { 1: targetOf(output, 'stdout'), 2: targetOf(output, 'stderr') }
  const labellers = new Map<1 | 2, Labeller>()
  const labellerOf = (to: 1 | 2): Labeller => {
    const labeller = labellers.get(to) ?? createLabeller(label!, targets[to])
    labellers.set(to, labeller)
    return labeller
  }
  return {
    print({ to, text }) {
      if ((to !== 1 && to !== 2) || (typeof text !== 'string' && !isBytes(text)))
        throw new Malformed('what was printed is no text')
      if (label === undefined) writeOutput(targets[to](), text)
      else labellerOf(to).write(text)
    },
    end() {
      for (const labeller of labellers.values()) labeller.end()
    },
  }
}

/** Where that stream of a worker leads to. */
export function targetOf(output: Output, name: 'stdout' | 'stderr'): () => OutputTarget {
  const own = typeof output === 'object' ? output[name] : undefined
  return own ? () => own : streamOf(name)
}

/** What takes the place of a stream for a while, as in somebody's tests, gets nothing of workers that were started before. */
function streamOf(name: 'stdout' | 'stderr'): () => OutputTarget {
  const own = Object.getOwnPropertyDescriptor(process, name)!
  return () => (own.get ? own.get.call(process) : own.value) as OutputTarget
}

/** What comes by a pipe, and not by messages: an addon has printed it. The target stays open. */
export function passOutput(
  source: OutputSource,
  target: () => OutputTarget,
  label: string | undefined,
): void {
  if (label !== undefined) labelOutput(label, source, target())
  else source.on('data', (chunk) => writeOutput(target(), chunk))
}

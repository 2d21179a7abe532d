// What the workers of Node are given around their module: variables, options of Node, limits of memory.

import {
  checkNames,
  checkObject,
  checkOption,
  checkSwitch,
  checkTexts,
  checkVariables,
  checkWord,
  optionNames,
  ownOptions,
} from '../../errors/check-options.js'
import { otherRuntime } from '../../primitives/other-runtime.js'
import type { ExecutorKind } from '../executor/stats.js'
import { isDirectory } from '../executor/task-module.js'
import type { Output, OutputStreams } from './workers/print-output.js'

/** As the ResourceLimits of node:worker_threads. */
export interface ResourceLimits {
  /** MiB of the main heap. */
  readonly maxOldGenerationSizeMb?: number
  /** MiB of the heap for young objects. */
  readonly maxYoungGenerationSizeMb?: number
  /** MiB for generated code; threads only. */
  readonly codeRangeSizeMb?: number
  /** MiB of the stack. */
  readonly stackSizeMb?: number
}

interface Environment {
  readonly env?: unknown
  readonly execArgv?: unknown
  readonly argv?: unknown
  readonly output?: Output | undefined
  readonly isolate?: unknown
  readonly cwd?: unknown
  readonly resourceLimits?: ResourceLimits
}

const LIMITS = optionNames('maxOldGenerationSizeMb maxYoungGenerationSizeMb codeRangeSizeMb stackSizeMb')

/** @throws TW_ERR_INVALID_OPTION */
export function checkEnvironment(kind: ExecutorKind, options: Environment): void {
  const { env, execArgv, argv, output = 'inherit', resourceLimits, isolate, cwd } = options
  if (typeof output === 'object' && output !== null) checkStreams(output)
  else checkWord('output', output, ['inherit', 'labelled'])
  checkSwitch('isolate', isolate)
  const isFolder = cwd === undefined || (typeof cwd === 'string' && isDirectory(cwd))
  checkOption(isFolder, 'cwd', 'the path of a directory that exists', cwd)
  if (argv !== undefined) checkTexts('argv', argv)
  if (resourceLimits !== undefined) checkLimits(kind, resourceLimits)
  if (env !== undefined) checkVariables('env', env)
  if (execArgv !== undefined) checkTexts('execArgv', execArgv)
}

const STREAMS = optionNames('stdout stderr')

function checkStreams(output: OutputStreams): void {
  checkObject('output', output, "'inherit', 'labelled' or { stdout, stderr }")
  checkNames(output, STREAMS, 'output.')
  const { stdout, stderr } = ownOptions(output) as Record<string, unknown>
  for (const [name, stream] of Object.entries({ stdout, stderr })) {
    const isStream = typeof (Object(stream) as { write?: unknown }).write === 'function'
    checkOption(stream === undefined || isStream, `output.${name}`, 'a writable stream of Node', stream)
  }
}

function checkLimits(kind: ExecutorKind, limits: ResourceLimits): void {
  const runtime = otherRuntime()
  // Deno takes those of processes as options of V8. Everything else takes them and does nothing.
  const isEnforced = runtime === null || (runtime === 'Deno' && kind === 'processes')
  checkOption(
    isEnforced,
    'resourceLimits',
    `left out: ${runtime} enforces no limits of ${kind} (limit the memory of the whole program)`,
    limits,
  )
  checkObject('resourceLimits', limits, 'an object, as for node:worker_threads')
  checkNames(limits, LIMITS, 'resourceLimits.')
  const { codeRangeSizeMb } = ownOptions(limits)
  const hasIt = kind !== 'processes' || codeRangeSizeMb === undefined
  checkOption(
    hasIt,
    'resourceLimits.codeRangeSizeMb',
    'left out: processes have no such limit',
    codeRangeSizeMb,
  )
  for (const [name, mib] of Object.entries(limits) as [string, unknown][]) {
    const isSize = mib === undefined || (typeof mib === 'number' && mib > 0)
    checkOption(isSize, `resourceLimits.${name}`, 'a number of MiB above 0', mib)
  }
}

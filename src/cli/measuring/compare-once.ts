// One comparison as the flags of `threadwise compare` ask for it.

import { compare } from '../../measure/compare/compare.js'
import {
  compareServers,
  resolveCompareServersOptions,
  type CompareServersOptions,
} from '../../measure/compare/compare-servers.js'
import type { CompareExpectation } from '../../measure/compare/expectation.js'
import {
  resolveCompareOptions,
  type CompareOptions,
  type VersionOptions,
} from '../../measure/compare/options.js'
import type { CompareResult } from '../../measure/results/compare-result.js'
import { repeatCommand } from '../terminal/repeat-command.js'
import type { VersionFlags } from './compared-versions.js'

export interface CompareFlags extends VersionFlags {
  args?: unknown[][]
  executor?: CompareOptions['executor']
  size?: number
  cpus?: number
  path?: string
  rate?: number
  connections?: number
  budget?: number
  processes?: number
  seed?: number
  expect?: CompareExpectation[]
  strict?: boolean
  json?: string
  html?: string
}

/** What is not of the command line: who listens, and when it is enough. */
export type CompareRequest = Pick<CompareOptions, 'signal' | 'onProgress' | 'tolerance' | 'isGate'>

export function compareOnce(
  versions: readonly VersionOptions[],
  flags: CompareFlags,
  asked: CompareRequest,
): Promise<CompareResult> {
  return flags.server
    ? compareServers(versions, { ...ofServers(flags), ...asked })
    : compare(versions, { ...ofFunctions(flags), ...asked })
}

/**
 * Before versions are made, which may take minutes.
 *
 * @throws TW_ERR_INVALID_OPTION
 */
export function checkCompareFlags(flags: CompareFlags): void {
  if (flags.server) resolveCompareServersOptions(ofServers(flags))
  else resolveCompareOptions(ofFunctions(flags))
}

function ofServers({ path, rate, connections, ...flags }: CompareFlags): CompareServersOptions {
  return { ...common(flags), path, rate, connections }
}

function ofFunctions({ args, executor, size, ...flags }: CompareFlags): CompareOptions {
  return { ...common(flags), args, executor, size }
}

function common({ budget, processes, seed, cpus }: CompareFlags) {
  return { budget, processes, seed, cpus, command: repeatCommand('compare', process.argv.slice(3)) }
}

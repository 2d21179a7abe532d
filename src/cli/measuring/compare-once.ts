// One comparison as the flags of `threadwise compare` ask for it.

import { compare } from '../../measure/compare/compare.js'
import { compareServers } from '../../measure/compare/compare-servers.js'
import type { CompareExpectation } from '../../measure/compare/expectation.js'
import type { CompareOptions, VersionOptions } from '../../measure/compare/options.js'
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
export type Asked = Pick<CompareOptions, 'signal' | 'onProgress' | 'tolerance' | 'isGate'>

export function compareOnce(
  versions: readonly VersionOptions[],
  flags: CompareFlags,
  asked: Asked,
): Promise<CompareResult> {
  const { server, budget, processes, seed, cpus } = flags
  const command = repeatCommand('compare', process.argv.slice(3))
  const common = { budget, processes, seed, cpus, command, ...asked }
  const { path, rate, connections, args, executor, size } = flags
  return server
    ? compareServers(versions, { ...common, path, rate, connections })
    : compare(versions, { ...common, args, executor, size })
}

// Which versions the command line means, and what it makes for them: another state of the repository, other versions of Node.

import { checkOption } from '../../errors/check-options.js'
import { openNodes } from '../../measure/checkout/node-versions.js'
import type { VersionOptions } from '../../measure/compare/options.js'
import { checkedOutVersion, oneOfEach, type CheckoutEvents } from './checked-out-version.js'

export interface VersionFlags {
  task?: string[]
  variants?: string[]
  against?: string
  bisect?: string
  build?: string
  node?: string[]
  server?: boolean
  with?: string[]
}

export interface ComparedVersions {
  readonly versions: VersionOptions[]
  /** Removes what was made for them. */
  readonly release: () => void
}

/** @throws TW_ERR_INVALID_OPTION, TW_ERR_VERSION_UNAVAILABLE */
export async function comparedVersions(
  files: readonly string[],
  flags: VersionFlags,
  surroundings: CheckoutEvents,
): Promise<ComparedVersions> {
  const { against, build, node, with: sets } = flags
  checkOption(
    build === undefined || against !== undefined,
    'build',
    'used together with --against or --bisect',
    build,
  )
  const ways = [against, node, sets].filter((way) => way !== undefined)
  checkOption(
    ways.length <= 1,
    'versions',
    'one of --against, --node and --with: one difference at a time',
    ways,
  )
  if (against !== undefined) return versionsAgainst(files, { ...flags, against }, surroundings)
  if (node !== undefined) return versionsOfNode(files, { ...flags, node }, surroundings)
  if (sets !== undefined) return { versions: versionsWith(files, { ...flags, with: sets }), release() {} }
  return { versions: versionsHere(files, flags), release: () => {} }
}

function versionsHere(files: readonly string[], { task = [], variants }: VersionFlags): VersionOptions[] {
  const isAlone = variants === undefined || task.length === 0
  checkOption(isAlone, 'variants', 'used without --task: they are those of a workload file', variants)
  if (files.length > 1) {
    checkOption(task.length <= 1, 'task', 'given once where there are several files', task)
    checkOption(variants === undefined, 'variants', 'used with one workload file', variants)
    return files.map((file) => ({ file, task: task[0] }))
  }
  const file = files[0]!
  const names = variants ?? task
  const expected =
    'two: --task twice, --variants short,joined, two files, --against REF, --node twice, or --with NAME=VALUE'
  checkOption(names.length >= 2, 'versions', expected, names.length === 0 ? file : names)
  return names.map((name) => (variants ? { file, variant: name } : { file, task: name }))
}

async function versionsOfNode(
  files: readonly string[],
  flags: VersionFlags & { node: string[] },
  { signal, note }: CheckoutEvents,
): Promise<ComparedVersions> {
  const { node } = flags
  const each = oneOfEach('node', files, flags)
  checkOption(node.length >= 2, 'node', 'given at least twice: the old version first', node)
  const { paths, release } = await openNodes(node, { signal, note })
  return { versions: paths.map((path, i) => ({ ...each, node: path, name: `Node ${node[i]}` })), release }
}

/** The old version is the one without. */
function versionsWith(files: readonly string[], flags: VersionFlags & { with: string[] }): VersionOptions[] {
  const each = oneOfEach('with', files, flags)
  return [
    { ...each, name: 'without' },
    ...flags.with.map((set) => ({ ...each, name: set, env: variablesOf(set) })),
  ]
}

/** `A=1 B=2`; a value ends where the next name begins, so that options of Node may have spaces between them. */
function variablesOf(set: string): Record<string, string> {
  const parts = set.trim().split(/\s+(?=[A-Za-z_]\w*=)/)
  const entries = parts.map((part) => /^([A-Za-z_]\w*)=(.*)$/s.exec(part))
  checkOption(
    entries.every((entry) => entry !== null),
    'with',
    'NAME=VALUE, such as NODE_OPTIONS=--max-semi-space-size=64; several with a space between',
    set,
  )
  return Object.fromEntries(entries.map((entry) => [entry![1]!, entry![2]!]))
}

async function versionsAgainst(
  files: readonly string[],
  flags: VersionFlags & { against: string },
  surroundings: CheckoutEvents,
): Promise<ComparedVersions> {
  const { version, release } = await checkedOutVersion(files, { ...flags, ref: flags.against }, surroundings)
  return { versions: [version, { ...oneOfEach('against', files, flags), name: 'working tree' }], release }
}

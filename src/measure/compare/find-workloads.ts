// From the versions that are given to workloads, each with its function in every version.

import { basename, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { checkOption } from '../../errors/check-options.js'
import { reviveThreadwiseError, ThreadwiseError } from '../../errors/errors.js'
import { measurableCpus } from '../../cpu/cpu-budget.js'
import { isFailed } from '../trial/trial.js'
import { workloadUrl, type WorkloadSource } from '../trial/workload.js'
import type { ResolvedCompareOptions, VersionOptions } from './options.js'
import type { Version, VersionTask } from './version.js'
import type { VersionOutside } from './version-world.js'

const LOAD_MS = 30_000

export interface ComparedWorkload {
  readonly name: string
  /** Of each version, the old one first. */
  readonly tasks: readonly VersionTask[]
}

export interface FoundWorkloads {
  readonly versions: readonly Version[]
  readonly workloads: readonly ComparedWorkload[]
}

/** @throws TW_ERR_WORKLOAD_INVALID, TW_ERR_INVALID_OPTION */
export async function findWorkloads(
  given: readonly VersionOptions[],
  options: ResolvedCompareOptions,
  startTrial: VersionOutside['startTrial'],
): Promise<FoundWorkloads> {
  const suites = given.map((version) => sourcesOf(version, options))
  const count = suites[0]!.length
  const isEven = suites.every(({ length }) => length === count)
  checkOption(
    isEven,
    'versions.file',
    'as many files in each version',
    suites.map(({ length }) => length),
  )
  const versions = named(
    given,
    suites.map(([source]) => source!),
  )
  const workloads: ComparedWorkload[] = []
  for (let i = 0; i < count; i++) {
    const sources = suites.map((suite) => suite[i]!)
    const found = await workloadsOf(given, { versions, sources, startTrial })
    const file = nameOfFile(sources[0]!)
    workloads.push(...found.map((each) => (count > 1 ? { ...each, name: `${file}: ${each.name}` } : each)))
  }
  return { versions, workloads }
}

function sourcesOf({ file, task }: VersionOptions, options: ResolvedCompareOptions): WorkloadSource[] {
  const name = task ?? options.task
  const isUsed = options.args === undefined || name !== undefined
  checkOption(isUsed, 'args', 'used together with task: a workload file has its own inputs', options.args)
  const files = Array.isArray(file) ? (file as readonly (string | URL)[]) : [file as string | URL]
  return files.map((one) => {
    const url = workloadUrl(one)
    return name === undefined
      ? { kind: 'file', url }
      : { kind: 'task', url, task: name, inputs: options.args ?? [[]] }
  })
}

/** Versions are called by what makes them different. */
function named(given: readonly VersionOptions[], sources: readonly WorkloadSource[]): Version[] {
  const paths = sources.map(({ url }) => relative(process.cwd(), fileURLToPath(url)))
  const labels = given.map(({ task, variant }) => variant ?? task)
  const areTasks = new Set(labels).size > 1 && new Set(paths).size === 1
  const areFiles = new Set(paths).size > 1
  const versions = given.map(({ name, ref, node, env, cwd }, i): Version => ({
    name:
      name ??
      ref ??
      (areTasks ? labels[i] : areFiles ? paths[i] : undefined) ??
      (i === 0 ? 'old' : `new${i > 1 ? ` ${i}` : ''}`),
    kind: given.some((each) => each.ref !== undefined)
      ? 'ref'
      : areTasks
        ? 'task'
        : areFiles
          ? 'file'
          : 'runtime',
    ref: ref ?? null,
    runtime: { node, env, cwd },
  }))
  const names = versions.map(({ name }) => name)
  return versions.map((version, i) =>
    names.indexOf(version.name) === i ? version : { ...version, name: `${version.name} (${i + 1})` },
  )
}

function nameOfFile({ url }: WorkloadSource): string {
  return basename(fileURLToPath(url)).replace(/(\.workload)?\.[cm]?[jt]sx?$/, '')
}

interface Parts {
  readonly versions: readonly Version[]
  /** Of one workload file, or task module, in each version. */
  readonly sources: readonly WorkloadSource[]
  readonly startTrial: VersionOutside['startTrial']
}

/** Where each version names its task or variant, those are compared with each other; otherwise each variant with the one of the same name. */
async function workloadsOf(given: readonly VersionOptions[], parts: Parts): Promise<ComparedWorkload[]> {
  const { versions, sources, startTrial } = parts
  const own: string[][] = []
  for (const [i, source] of sources.entries()) own.push(await variantsOf(source, versions[i]!, startTrial))
  const taskOf = (i: number, variant: string): VersionTask => ({
    version: versions[i]!,
    source: sources[i]!,
    variant,
  })
  const isNamed = sources.every(({ kind }, i) => kind === 'task' || given[i]!.variant !== undefined)
  if (isNamed) {
    const variants = sources.map((source, i) =>
      source.kind === 'task' ? source.task : known(given[i]!.variant!, own[i]!, source.url),
    )
    return [
      { name: [...new Set(variants)].join(' / '), tasks: variants.map((variant, i) => taskOf(i, variant)) },
    ]
  }
  const common = own[0]!.filter((variant) => own.every((variants) => variants.includes(variant)))
  if (common.length === 0) throw invalid(sources[0]!.url, 'the versions have no variant of the same name')
  return common.map((variant) => ({ name: variant, tasks: versions.map((_, i) => taskOf(i, variant)) }))
}

async function variantsOf(
  source: WorkloadSource,
  { runtime }: Version,
  startTrial: VersionOutside['startTrial'],
): Promise<string[]> {
  if (source.kind === 'task') return [source.task]
  const trial = await startTrial({ cpus: measurableCpus(), uv: null, runtime })
  const answer = await trial.ask('describe', { source }, LOAD_MS).finally(() => trial.kill())
  if (isFailed(answer)) throw invalid(source.url, answer.failed)
  if (!('unusable' in answer)) return Object.keys(answer.variants)
  const { code, message } = answer.unusable
  throw Object.assign(reviveThreadwiseError(message), { name: 'ThreadwiseError', code })
}

function known(variant: string, variants: readonly string[], url: string): string {
  if (!variants.includes(variant))
    throw invalid(url, `it has no variant ${variant}; there are ${variants.join(', ')}`)
  return variant
}

function invalid(file: string, reason: string): ThreadwiseError {
  return new ThreadwiseError('TW_ERR_WORKLOAD_INVALID', { file, reason })
}

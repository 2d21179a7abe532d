// From the versions that are given to workloads, each with its function in every version.

import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { checkOption } from '../../errors/check-options.js'
import { reviveThreadwiseError, ThreadwiseError } from '../../errors/errors.js'
import { measurableCpus } from '../../cpu/cpu-budget.js'
import { isFailed, type WorkloadNames } from '../trial/trial.js'
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

export interface Found {
  readonly versions: readonly Version[]
  readonly workloads: readonly ComparedWorkload[]
}

/** @throws TW_ERR_WORKLOAD_INVALID, TW_ERR_INVALID_OPTION */
export async function findWorkloads(
  given: readonly VersionOptions[],
  options: ResolvedCompareOptions,
  startTrial: VersionOutside['startTrial'],
): Promise<Found> {
  const sources = given.map((version) => sourceOf(version, options))
  const versions = named(given, sources)
  if (sources.every(({ kind }) => kind === 'task')) {
    const tasks = versions.map((version, i) => ({ version, source: sources[i]!, variant: (sources[i] as { task: string }).task })) // prettier-ignore
    return { versions, workloads: [{ name: nameOfTasks(tasks), tasks }] }
  }
  const described: (WorkloadNames | null)[] = []
  for (const [index, source] of sources.entries())
    described.push(source.kind === 'file' ? await describe(source, versions[index]!, startTrial) : null)
  return { versions, workloads: paired(given, { versions, sources, described }) }
}

function sourceOf({ file, task }: VersionOptions, options: ResolvedCompareOptions): WorkloadSource {
  const url = workloadUrl(file)
  const name = task ?? options.task
  const isUsed = options.args === undefined || name !== undefined
  checkOption(isUsed, 'args', 'used together with task: a workload file has its own inputs', options.args)
  return name === undefined ? { kind: 'file', url } : { kind: 'task', url, task: name, inputs: options.args ?? [[]] } // prettier-ignore
}

/** Versions are called by what makes them different. */
function named(given: readonly VersionOptions[], sources: readonly WorkloadSource[]): Version[] {
  const paths = sources.map(({ url }) => relative(process.cwd(), fileURLToPath(url)))
  const labels = given.map(({ task, variant }) => variant ?? task)
  const areTasks = new Set(labels).size > 1 && new Set(paths).size === 1
  const areFiles = new Set(paths).size > 1
  const versions = given.map(({ name, ref, node, env, cwd }, i): Version => ({
    name: name ?? (ref ?? (areTasks ? labels[i] : areFiles ? paths[i] : undefined) ?? (i === 0 ? 'old' : `new${i > 1 ? ` ${i}` : ''}`)), // prettier-ignore
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
  return versions.map((version, i) => names.indexOf(version.name) === i ? version : { ...version, name: `${version.name} (${i + 1})` }) // prettier-ignore
}

function nameOfTasks(tasks: readonly VersionTask[]): string {
  return [...new Set(tasks.map(({ variant }) => variant))].join(' / ')
}

async function describe(
  source: WorkloadSource,
  { runtime }: Version,
  startTrial: VersionOutside['startTrial'],
): Promise<WorkloadNames> {
  const trial = await startTrial({ cpus: measurableCpus(), uv: null, runtime })
  const answer = await trial.ask('describe', { source }, LOAD_MS).finally(() => trial.kill())
  if (isFailed(answer)) throw invalid(source.url, answer.failed)
  if (!('unusable' in answer)) return answer
  const { code, message } = answer.unusable
  throw Object.assign(reviveThreadwiseError(message), { name: 'ThreadwiseError', code })
}

interface Parts {
  readonly versions: readonly Version[]
  readonly sources: readonly WorkloadSource[]
  readonly described: readonly (WorkloadNames | null)[]
}

/** Where each version names its variant, those are compared with each other; otherwise each variant with the one of the same name. */
function paired(
  given: readonly VersionOptions[],
  { versions, sources, described }: Parts,
): ComparedWorkload[] {
  const variantsOf = (i: number) => Object.keys(described[i]?.variants ?? {})
  const taskOf = (i: number, variant: string): VersionTask => ({ version: versions[i]!, source: sources[i]!, variant }) // prettier-ignore
  if (given.every(({ variant, task }) => variant !== undefined || task !== undefined)) {
    const variants = given.map(({ variant, task }, i) =>
      known(variant ?? task!, variantsOf(i), given[i]!.file),
    )
    return [
      { name: [...new Set(variants)].join(' / '), tasks: variants.map((variant, i) => taskOf(i, variant)) },
    ]
  }
  const common = variantsOf(0).filter((variant) => versions.every((_, i) => variantsOf(i).includes(variant)))
  const file = String(given[0]!.file)
  if (common.length === 0) throw invalid(file, 'the versions have no variant of the same name')
  return common.map((variant) => ({ name: variant, tasks: versions.map((_, i) => taskOf(i, variant)) }))
}

function known(variant: string, variants: readonly string[], file: string | URL): string {
  if (variants.length > 0 && !variants.includes(variant))
    throw invalid(String(file), `it has no variant ${variant}; there are ${variants.join(', ')}`)
  return variant
}

function invalid(file: string, reason: string): ThreadwiseError {
  return new ThreadwiseError('TW_ERR_WORKLOAD_INVALID', { file, reason })
}

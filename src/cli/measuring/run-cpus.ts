// `threadwise cpus`: says how many CPUs this process really has, why, and which limits can be emulated here.

import { cpuBudget, formatCpus, wholeCpus, type CpuBudget } from '../../cpu/cpu-budget.js'
import { tightestQuota } from '../../cpu/cgroup-quota.js'
import { limitSupport, type LimitSupport } from '../../cpu/limit/limit-support.js'
import { readThrottling, type Throttling } from '../../cpu/throttling.js'
import { alignColumns } from '../../measure/report/terminal/text-table.js'

export interface CpusReport extends CpuBudget {
  version: 1
  /** The number of workers that the budget can keep busy. */
  workers: number
  /** Since the cgroup was created; null where there is no quota. */
  throttling: Throttling | null
  limits: LimitSupport[]
}

/**
 * Prints the CPU budget, for people or as JSON, and returns the exit code.
 *
 * @throws TW_ERR_INVALID_OPTION when THREADWISE_CPUS is set and is not a positive number.
 */
export function runCpus(options: { json: boolean }, out: (text: string) => void = print): number {
  const budget = cpuBudget()
  const report: CpusReport = {
    version: 1,
    ...budget,
    workers: wholeCpus(budget.cpus),
    throttling: readThrottling(),
    limits: limitSupport(),
  }
  out(options.json ? `${JSON.stringify(report, null, 2)}\n` : describeCpus(report))
  return 0
}

/** The report as text: the number first, then why, then the details. */
export function describeCpus(report: CpusReport): string {
  const parts = [
    [headline(report), origin(report), advice(report)],
    report.disagreements.map((sentence) => `! ${sentence}`),
    facts(report),
    quotaChain(report),
    limits(report.limits),
  ]
  const texts = parts.filter((part) => part.length > 0).map((part) => part.join('\n'))
  return `${texts.join('\n\n')}\n`
}

function headline({ cpus, host }: CpusReport): string {
  const share = cpus === host ? 'all' : `${formatCpus(cpus).split(' ')[0]} of`
  return `This process may use ${share} ${formatCpus(host)}.`
}

function origin({ source, file, quota }: CpusReport): string {
  if (source === 'THREADWISE_CPUS') return 'The environment variable THREADWISE_CPUS says so.'
  if (source === 'affinity')
    return 'It may not run on the others (taskset, a cpuset, start /affinity or a job scheduler).'
  if (source === 'host')
    return quota === null
      ? 'No limit is visible; if you know of one, set THREADWISE_CPUS.'
      : 'Its quota is larger than that.'
  return `The ${source.replace('-', ' ')} quota in ${file} allows no more.`
}

function advice({ workers, cpus }: CpusReport): string {
  if (cpus < 1) return 'One busy thread is enough to use it up.'
  return workers === 1 ? 'One busy worker is enough for it.' : `It can keep ${workers} workers busy.`
}

function facts({ host, affinity, quota, node }: CpusReport): string[] {
  return table([
    ['Machine', formatCpus(host), 'os.cpus()'],
    ['Affinity', formatCpus(affinity), 'the CPUs that it may run on'],
    ['Quota', quota === null ? 'none visible' : formatCpus(quota), 'the tightest of its cgroups'],
    ['Node says', String(node), 'os.availableParallelism()'],
  ])
}

function quotaChain({ quotas, throttling }: CpusReport): string[] {
  if (quotas.length === 0) return ['No cgroup with a CPU controller was found.']
  const tightest = tightestQuota(quotas)
  const rows = quotas.map((level) => [
    level.cpus === null ? 'no limit' : formatCpus(level.cpus),
    level.file,
    level.file === tightest?.file && quotas.length > 1 ? '<- tightest' : '',
  ])
  return ['Quotas, from its own cgroup outwards:', ...table(rows), ...frozen(throttling)]
}

function frozen(throttling: Throttling | null): string[] {
  if (!throttling || throttling.periods === 0) return []
  const { periods, throttledPeriods, throttledMs } = throttling
  const seconds = (throttledMs / 1000).toFixed(1)
  return [`The kernel froze it in ${throttledPeriods} of ${periods} periods so far, for ${seconds} s in all.`]
}

function limits(support: LimitSupport[]): string[] {
  const lines = support.flatMap(({ cpus, method, note, refusals }) => {
    if (method) return table([[formatCpus(cpus), method, note]])
    const reasons = table(refusals.map(({ method, reason }) => [`  ${method}`, reason]))
    return [...table([[formatCpus(cpus), 'not possible here:']]), ...reasons]
  })
  const isExact = support.some(({ exact }) => exact)
  const hint =
    'For exact limits run as root on Linux, or start a container with the limit, as in docker run --cpus=0.6.'
  return ['Smaller limits that a measurement can emulate here:', ...lines, ...(isExact ? [] : [hint])]
}

function table(rows: string[][]): string[] {
  return alignColumns(rows).map((line) => `  ${line}`)
}

function print(text: string): void {
  process.stdout.write(text)
}

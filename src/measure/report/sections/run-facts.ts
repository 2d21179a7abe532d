// The last part of a page: machine, settings, raw JSON and the command that repeats the run.

import type { MachineFacts, MeasureResult } from '../../results/result.js'
import type { ServerResult } from '../../results/server-result.js'
import { describeMachine } from '../figures/describe-run.js'
import {
  finite,
  formatBytes,
  formatCpuLimit,
  formatMs,
  formatPercent,
  formatPlain,
} from '../figures/format-number.js'
import { toJson } from '../figures/json.js'
import { markup, type Markup, type MarkupPart } from '../markup/markup.js'
import { factList } from '../markup/page.js'
import { typeset } from '../markup/typeset.js'

export function machineSection(machine: MachineFacts, date: string): Markup {
  const budget = [
    `host ${machine.host}`,
    `affinity ${machine.affinity}`,
    finite(machine.quota) === null ? 'no quota visible' : `quota ${formatPlain(machine.quota)}`,
  ]
  return factList([
    ['processor', machine.cpuModel],
    ['CPUs to use', `${formatPlain(machine.cpus)} (${budget.join(', ')})`],
    ['what Node answers', formatCpuLimit(machine.nodeAnswer)],
    ['memory', typeset(formatBytes(machine.totalMemoryBytes))],
    ['system', `${machine.platform} ${machine.arch}`],
    ['Node', `${machine.node} (V8 ${machine.v8}, libuv ${machine.uv})`],
    ['not available here', machine.unavailable.join(', ')],
    ['measured', date],
  ])
}

export function settingFacts({ settings, workload }: MeasureResult): Markup {
  const { goal } = settings
  const inputs = Object.entries(workload.scout).map(
    ([variant, { argumentBytes, resultBytes, uvWork }]): [string, MarkupPart] => [
      `one call of ${variant}`,
      `arguments ${typeset(formatBytes(argumentBytes))}, result ${typeset(formatBytes(resultBytes))}${uvWork.length > 0 ? `, thread pool: ${uvWork.join(', ')}` : ''}`,
    ],
  )
  return factList([
    ['workload', workload.file],
    ['task module', workload.module],
    ...inputs,
    ['known well enough within', typeset(formatPercent(100 * settings.precision))],
    [
      'goal',
      goal.kind === 'throughput'
        ? 'throughput'
        : `loop delay p99 below ${typeset(formatMs(goal.loopDelayMs))}`,
    ],
    ['more than inline is worth it from', worthText(settings.worth)],
    ['time budget', `${settings.budgetSeconds} s${settings.quick ? ' (quick)' : ''}`],
    ['seed', settings.seed],
  ])
}

export function serverSettingFacts({ settings, server }: ServerResult): Markup {
  const { precision, quick, connections, worth, budgetSeconds, seed } = settings
  return factList([
    ['server', server.file],
    ['path', server.path],
    ['path that works on threads', server.offloadPath],
    ['connections', connections],
    ['known well enough within', typeset(formatPercent(100 * precision))],
    ['more than one process is worth it from', `${worth} times the requests`],
    ['time budget', `${budgetSeconds} s${quick ? ' (quick)' : ''}`],
    ['seed', seed],
  ])
}

export function skippedList(skipped: MeasureResult['skipped']): Markup | null {
  if (skipped.length === 0) return null
  const items = skipped.map(
    ({ cpus, reason }) => markup`<li><b>${typeset(formatCpuLimit(cpus))}</b>: ${reason}</li>`,
  )
  return markup`<ul class="plain">${items}</ul>`
}

export function repeatSection(command: string): Markup {
  return markup`<pre class="command" tabindex="0"><code>${command}</code></pre>\n`
}

/** The whole result; what cannot be drawn can still be read there. */
export function rawJson(value: unknown): Markup {
  return markup`<details><summary>Raw JSON</summary><pre tabindex="0">${toJson(value)}</pre></details>\n`
}

export function footerLine(machine: MachineFacts, date: string): Markup {
  return markup`<p>Measured by threadwise on ${date.slice(0, 10)}: ${describeMachine(machine)}.</p>`
}

/** 1.1 and 0.1 are both ways to write "10 % faster". */
function worthText(worth: number): string {
  return `${typeset(formatPercent((worth >= 1 ? worth - 1 : worth) * 100))} faster`
}

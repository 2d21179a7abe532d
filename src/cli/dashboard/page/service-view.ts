// One service: its figures over time, its instances and its log, and what can be done to it.

import { ask, isReadOnly } from './ask.js'
import { Chart, type ChartOptions, type Limit } from './chart.js'
import { button, element, setText } from './elements.js'
import { createFlame } from './flame-view.js'
import { inCpus, inMemory, inMs, inPercent, inWholeCpus, perSecond, since } from './format.js'
import { createInstances } from './instance-table.js'
import { LogView } from './log-view.js'
import { createMinutes } from './minute-table.js'
import type { Past } from './past.js'
import type { ChosenService, FigureName, ServiceRow } from '../look/view.js'

const SPANS = [5, 15, 60]

export class ServiceView {
  readonly root: HTMLElement
  readonly #charts = allCharts()
  readonly #heading = element('h2', { tabindex: -1 })
  readonly #facts = element('p', { class: 'facts' })
  readonly #problem = element('p', { class: 'problem' })
  readonly #span = element('select', { id: 'span' }, ...spanOptions())
  readonly #flame = createFlame()
  readonly #instances = createInstances()
  readonly #log = new LogView()
  readonly #minutes = createMinutes()
  #row: Pick<ServiceRow, 'name' | 'wanted'> = { name: '', wanted: 1 }

  constructor(onClose: () => void) {
    this.root = element(
      'section',
      { class: 'chosen', 'aria-label': 'The chosen service' },
      element('div', { class: 'head' }, this.#heading, button('Close', onClose)),
      this.#facts,
      this.#problem,
      isReadOnly ? null : actionsOf(() => this.#row, this.#flame.show),
      this.#flame.root,
      element('p', { class: 'span' }, element('label', { for: 'span' }, 'Span '), this.#span),
      element('div', { class: 'charts' }, ...this.#charts.map(({ chart }) => chart.root)),
      ...[this.#minutes.root, this.#instances.root, this.#log.root],
    )
  }

  /** Lines of the log may come again: all that is there belongs to the one before. `isNew`: it was just chosen. */
  clear(isNew: boolean): void {
    this.#log.clear()
    if (!isNew) return
    this.#flame.clear()
    this.#heading.focus()
  }

  show(row: ServiceRow, chosen: ChosenService, past: Past): void {
    this.#row = row
    this.#log.of(row.name)
    setText(this.#heading, row.name)
    setText(this.#facts, factsOf(row, chosen))
    setText(this.#problem, row.lastProblem === null ? '' : `Last problem: ${row.lastProblem}`)
    this.#problem.hidden = row.lastProblem === null
    const minutes = this.#span.value === 'fit' ? past.fitting(SPANS) : Number(this.#span.value)
    for (const { chart, limitOf, isOf } of this.#charts) {
      chart.root.hidden = !isOf(row)
      chart.show(past, minutes, limitOf(row))
    }
    this.#minutes.show(past)
    this.#instances.show(chosen.instances, row.kind)
    this.#log.show(chosen.log)
  }
}

function spanOptions(): HTMLOptionElement[] {
  const names: Record<string, string> = {
    fit: 'all that is known',
    5: '5 minutes',
    15: '15 minutes',
    60: 'an hour',
  }
  return ['fit', ...SPANS.map(String)].map((value) => element('option', { value }, names[value]!))
}

function factsOf(row: ServiceRow, { file, ports }: ChosenService): string {
  const { kind, state, pid, startedAt, serving, wanted, reloads, crashes, renewals } = row
  const places = ports.length > 0 ? `, listens on ${ports.join('; ')}` : ''
  return `${kind} ${file}${places}. It is ${state}, ${serving} of ${wanted} serving, process ${pid}, up ${since(startedAt, Date.now())}. Reloads ${reloads}, crashes ${crashes}, renewals ${renewals}.`
}

interface LimitedChart {
  readonly chart: Chart
  readonly limitOf: (row: ServiceRow) => Limit | null
  /** Whether the service has such figures. */
  readonly isOf: (row: ServiceRow) => boolean
}

function allCharts(): LimitedChart[] {
  const one = (title: string, figure: FigureName, format: Format, unit = 1) =>
    new Chart({ title, lines: [{ figure, label: '' }], format, unit })
  const limitOf = () => null
  const isOf = ({ kind }: ServiceRow) => kind === 'server'
  const lines = [
    { figure: 'p99', label: 'p99' },
    { figure: 'p50', label: 'p50' },
  ] as const
  return [
    { chart: one('Requests a second', 'perSecond', perSecond), limitOf, isOf },
    { chart: one('Errors a second', 'errorsPerSecond', perSecond), limitOf, isOf },
    { chart: new Chart({ title: 'Time to answer', lines, format: inMs }), limitOf, isOf },
    { chart: one('Event loop delay', 'loopDelay', inMs), limitOf, isOf },
    {
      chart: one('CPUs', 'cpu', inCpus),
      limitOf: ({ budget }) => ({ value: budget, label: `budget ${inWholeCpus(budget)}` }),
      isOf: () => true,
    },
    {
      chart: one('Throttled by the CPU quota', 'throttled', inPercent, 0.01),
      limitOf,
      isOf: ({ figures }) => figures.throttled !== null,
    },
    {
      chart: one('Memory', 'rss', inMemory, 1024 ** 2),
      limitOf: ({ memoryLimit }) => ({ value: memoryLimit, label: `limit ${inMemory(memoryLimit)}` }),
      isOf: () => true,
    },
  ]
}

type Format = ChartOptions['format']
type Profiled = ReturnType<typeof createFlame>['show']

function actionsOf(of: () => { name: string; wanted: number }, showProfile: Profiled): HTMLElement {
  const simple = (type: 'reload' | 'restart' | 'stop', text: string) =>
    button(text, () => void ask(`${text} ${of().name}`, [], () => ({ type, service: of().name })))
  const scale = () => {
    const { name, wanted } = of()
    const field = { label: 'Instances', value: wanted, min: 1 }
    void ask(`Scale ${name}`, [field], ([instances = 1]) => ({ type: 'scale', service: name, instances }))
  }
  const profile = async () => {
    const { name } = of()
    const outcome = await ask(`Take a profile of ${name}`, [], () => ({ type: 'profile', service: name }))
    if (outcome !== null) showProfile(outcome)
  }
  return element(
    'div',
    { class: 'buttons', role: 'group', 'aria-label': 'Change it' },
    simple('reload', 'Reload'),
    button('Scale ...', scale),
    simple('restart', 'Restart'),
    simple('stop', 'Stop'),
    button('Take a profile', () => void profile()),
  )
}

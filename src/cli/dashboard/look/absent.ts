// Services that are known and do not run, or that run and do not answer.

import { nextProcess, type FoundServices } from '../../../serve/control/control-client.js'
import { recordsOfDead } from '../../../serve/control/run-record.js'
import type { RememberedApp } from '../../../serve/apps/remembered.js'
import { shown } from './log-tail.js'
import type { AbsentRow } from './view.js'

export function absentServices(
  { services, silent, odd }: FoundServices,
  apps: readonly RememberedApp[],
): AbsentRow[] {
  const running = [...services.map(({ name }) => name), ...silent]
  const killed = recordsOfDead().map(({ name }) => name)
  const ended = apps.filter(
    ({ plan, end }) => !running.includes(plan.name) && (end !== null || killed.includes(plan.name)),
  )
  const none = { at: null, reason: null, lastWords: [] }
  return [
    ...silent.map((name): AbsentRow => ({ name, state: 'no answer', ...none })),
    ...odd.map((name): AbsentRow => ({ name: shown(name), state: 'odd', ...none })),
    ...ended.map(({ plan, end }): AbsentRow => {
      if (nextProcess(plan.name)) return { name: plan.name, state: 'restarting', ...none }
      if (end === null) return { name: plan.name, state: 'killed', ...none }
      const { state, at, reason, lastWords } = end
      return { name: plan.name, state, at, reason: reason && shown(reason), lastWords: lastWords.map(shown) }
    }),
  ]
}

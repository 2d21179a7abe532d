// A change: what is needed for it is asked first, then whether it is meant, in the words of the server; then what came of it is shown.

import { button, element } from './elements.js'
import type { Action, ActionOutcome, Permit } from '../look/view.js'

const pageToken = document.querySelector<HTMLMetaElement>('meta[name=page-token]')?.content ?? ''

/** Nothing can be changed: it was started so. */
export const isReadOnly = pageToken === ''

export interface NumberField {
  readonly label: string
  readonly value: number
  readonly min: number
}

const title = element('h2', { id: 'ask-title' })
const body = element('div', { class: 'ask-body' })
const dialog = element('dialog', { 'aria-labelledby': 'ask-title' }, title, body)

export const askDialog: HTMLElement = dialog

/** `fields`: numbers from which `actionOf` makes the action. Resolves with what came of it; null: it was not meant. */
export async function ask(
  heading: string,
  fields: readonly NumberField[],
  actionOf: (numbers: readonly number[]) => Action,
): Promise<ActionOutcome | null> {
  title.textContent = heading
  if (!dialog.open) dialog.showModal()
  try {
    const numbers = fields.length === 0 ? [] : await askNumbers(fields)
    if (numbers === null) return null
    body.replaceChildren(element('p', { role: 'status' }, 'One moment ...'))
    const permit = await post<Permit & ActionOutcome>('permits', actionOf(numbers))
    if (permit.permit === undefined) return await tell(permit)
    if (!(await isMeant(permit.question))) return null
    body.replaceChildren(element('p', { role: 'status' }, 'It is under way ...'))
    return await tell(await post<ActionOutcome>('changes', { permit: permit.permit }))
  } catch {
    return await tell({
      ok: false,
      text: 'The dashboard does not answer. Whether it was done is seen when it does again.',
    })
  } finally {
    dialog.close()
  }
}

async function post<Answer>(path: string, value: unknown): Promise<Answer> {
  const headers = { 'content-type': 'application/json', 'x-threadwise-page': pageToken }
  const response = await fetch(path, { method: 'POST', headers, body: JSON.stringify(value) })
  return (await response.json()) as Answer
}

function askNumbers(fields: readonly NumberField[]): Promise<readonly number[] | null> {
  const inputs = fields.map(({ value, min }) =>
    element('input', { type: 'number', min, step: 1, value, required: true }),
  )
  const labels = fields.map(({ label }, index) => element('label', {}, label, inputs[index]!))
  return choose(labels, 'Continue', () => {
    const isValid = inputs.every((input) => input.reportValidity())
    return isValid ? inputs.map((input) => input.valueAsNumber) : undefined
  })
}

async function isMeant(question: string): Promise<boolean> {
  return (await choose([element('p', {}, question)], 'Yes', () => true)) ?? false
}

async function tell(outcome: ActionOutcome): Promise<ActionOutcome> {
  const text = element('p', { role: 'status', class: outcome.ok ? 'good' : 'bad' }, outcome.text)
  await new Promise<void>((resolve) => {
    body.replaceChildren(text, element('div', { class: 'buttons' }, button('Close', resolve)))
    body.querySelector('button')?.focus()
    dialog.onclose = () => resolve()
  })
  dialog.onclose = null
  return outcome
}

/** Undefined of `value`: not yet. */
function choose<Value>(
  content: readonly Node[],
  yes: string,
  value: () => Value | undefined,
): Promise<Value | null> {
  return new Promise((resolve) => {
    const agree = () => {
      const given = value()
      if (given !== undefined) resolve(given)
    }
    const cancel = button('Cancel', () => resolve(null))
    const agreed = button(yes, agree, { class: 'main' })
    body.replaceChildren(...content, element('div', { class: 'buttons' }, cancel, agreed))
    body.onkeydown = (event) => {
      if (event.key === 'Enter' && (event.target as Element).matches('input')) agree()
    }
    dialog.onclose = () => resolve(null)
    ;(body.querySelector('input') ?? agreed).focus()
  })
}

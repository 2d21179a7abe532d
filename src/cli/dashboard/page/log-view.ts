// The last lines of a log, as text, with a search: in the lines that are here while you type, further back in the file when you ask.

import { button, element, setText } from './elements.js'

const MOST = 500

export interface LogView {
  readonly root: HTMLElement
  of(name: string): void
  clear(): void
  /** Null: it writes none. */
  show(more: readonly string[] | null): void
}

export function createLogView(): LogView {
  const search = element('input', { type: 'search', placeholder: 'Search the lines', 'aria-label': 'Search the lines of the log' }) // prettier-ignore
  const list = element('ol', { class: 'log', role: 'region', 'aria-label': 'Lines of the log', tabindex: 0 })
  const note = element('p', { class: 'none', role: 'status' })
  let lines: HTMLLIElement[] = []
  let service = ''
  const filter = () => {
    const wanted = search.value.toLowerCase()
    for (const line of lines) line.hidden = !line.textContent.toLowerCase().includes(wanted)
    setText(
      note,
      wanted === '' ? '' : `${lines.filter(({ hidden }) => !hidden).length} of ${lines.length} lines`,
    )
  }
  const searchFile = async () => {
    const query = new URLSearchParams({ service, search: search.value })
    const found = (await (await fetch(`log?${query}`)).json()) as string[]
    lines = found.map(lineOf)
    list.replaceChildren(...lines)
    filter()
    setText(note, `${found.length} lines of the file, the newest ${MOST} at most`)
  }
  search.addEventListener('input', filter)
  search.addEventListener('keydown', ({ key }) => key === 'Enter' && void searchFile())
  const tools = element(
    'div',
    { class: 'tools' },
    search,
    button('Search the file', () => void searchFile()),
  )
  const root = element('div', { class: 'log-view' }, element('h3', {}, 'Log'), tools, note, list)
  return {
    root,
    of: (name) => void (service = name),
    clear() {
      lines = []
      list.replaceChildren()
      search.value = ''
      setText(note, '')
    },
    show(more) {
      tools.hidden = list.hidden = more === null
      if (more === null)
        return setText(note, 'It runs in the foreground, and so writes no log: see its terminal.')
      if (more.length === 0) return
      const isAtEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 40
      const made = more.map(lineOf)
      lines.push(...made)
      list.append(...made)
      for (const old of lines.splice(0, Math.max(0, lines.length - MOST))) old.remove()
      if (search.value !== '') filter()
      if (isAtEnd) list.scrollTop = list.scrollHeight
    },
  }
}

function lineOf(text: string): HTMLLIElement {
  const [, writer = ''] = /^\S+Z \[([^\]]*)\] /.exec(text) ?? []
  const by = writer === 'serve' ? 'serve' : writer.endsWith(' err') ? 'err' : 'out'
  return element('li', { 'data-by': by }, text)
}

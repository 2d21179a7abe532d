// The last lines of a log, as text, with a search: in the lines that are here while you type, further back in the file when you ask.

import { button, element, setText } from './elements.js'

const MOST = 500

export class LogView {
  readonly root: HTMLElement
  readonly #search = element('input', {
    type: 'search',
    placeholder: 'Search the lines',
    'aria-label': 'Search the lines of the log',
  })
  readonly #list = element('ol', {
    class: 'log',
    role: 'region',
    'aria-label': 'Lines of the log',
    tabindex: 0,
  })
  readonly #note = element('p', { class: 'none', role: 'status' })
  readonly #tools: HTMLElement
  #lines: HTMLLIElement[] = []
  #service = ''

  constructor() {
    const searchFile = () => void this.#searchFile()
    this.#search.addEventListener('input', () => this.#filter())
    this.#search.addEventListener('keydown', ({ key }) => key === 'Enter' && searchFile())
    this.#tools = element('div', { class: 'tools' }, this.#search, button('Search the file', searchFile))
    this.root = element(
      'div',
      { class: 'log-view' },
      element('h3', {}, 'Log'),
      this.#tools,
      this.#note,
      this.#list,
    )
  }

  of(service: string): void {
    this.#service = service
  }

  clear(): void {
    this.#lines = []
    this.#list.replaceChildren()
    this.#search.value = ''
    setText(this.#note, '')
  }

  /** Null: it writes none. */
  show(more: readonly string[] | null): void {
    this.#tools.hidden = this.#list.hidden = more === null
    if (more === null)
      return setText(this.#note, 'It runs in the foreground, and so writes no log: see its terminal.')
    if (more.length === 0) return
    const { scrollHeight, scrollTop, clientHeight } = this.#list
    const isAtEnd = scrollHeight - scrollTop - clientHeight < 40
    const made = more.map(lineOf)
    this.#lines.push(...made)
    this.#list.append(...made)
    for (const old of this.#lines.splice(0, Math.max(0, this.#lines.length - MOST))) old.remove()
    if (this.#search.value !== '') this.#filter()
    if (isAtEnd) this.#list.scrollTop = this.#list.scrollHeight
  }

  #filter(): void {
    const wanted = this.#search.value.toLowerCase()
    for (const line of this.#lines) line.hidden = !line.textContent.toLowerCase().includes(wanted)
    const found = this.#lines.filter(({ hidden }) => !hidden).length
    setText(this.#note, wanted === '' ? '' : `${found} of ${this.#lines.length} lines`)
  }

  async #searchFile(): Promise<void> {
    const query = new URLSearchParams({ service: this.#service, search: this.#search.value })
    const found = (await (await fetch(`log?${query}`)).json()) as string[]
    this.#lines = found.map(lineOf)
    this.#list.replaceChildren(...this.#lines)
    this.#filter()
    setText(this.#note, `${found.length} lines of the file, the newest ${MOST} at most`)
  }
}

function lineOf(text: string): HTMLLIElement {
  const [, writer = ''] = /^\S+Z \[([^\]]*)\] /.exec(text) ?? []
  const by = writer === 'serve' ? 'serve' : writer.endsWith(' err') ? 'err' : 'out'
  return element('li', { 'data-by': by }, text)
}

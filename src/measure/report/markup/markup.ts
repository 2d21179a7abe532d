// Builds HTML from templates in which every value is escaped; there is no other way into the page.

import { stripVTControlCharacters } from 'node:util'

// A symbol: data read from JSON can imitate every other property, and so can never pass for markup.
const brand = Symbol('markup')

/** HTML that was written by a template of ours. */
export interface Markup {
  readonly [brand]: string
}

export type MarkupPart = Markup | string | number | null | undefined | false | readonly MarkupPart[]

/** Template tag: what is inserted is escaped, unless it is markup itself. Attribute values must be in double quotes. */
export function markup(strings: TemplateStringsArray, ...parts: MarkupPart[]): Markup {
  return { [brand]: strings.reduce((text, string, index) => text + render(parts[index - 1]) + string) }
}

export function toHtml(content: Markup): string {
  return content[brand]
}

/** Safe as text and inside a quoted attribute; control characters and reversed reading direction are made visible. */
export function escapeHtml(text: string): string {
  return stripVTControlCharacters(text)
    .replace(/[^\P{Cc}\n\t]|[\p{Bidi_Control}\p{Cs}]/gu, '\ufffd')
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/"/g, '&quot;')
    .replace(/'/g, '&#39;')
}

function render(part: MarkupPart): string {
  if (part === null || part === undefined || part === false) return ''
  if (typeof part === 'string') return escapeHtml(part)
  if (typeof part === 'number') return String(part)
  if (isList(part)) return part.map(render).join('')
  return part[brand]
}

function isList(part: MarkupPart): part is readonly MarkupPart[] {
  return Array.isArray(part)
}

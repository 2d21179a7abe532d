// The frame of a report: one HTML file that loads nothing, runs nothing and can be mailed, archived and printed.

import { markup, toHtml, type Markup, type MarkupPart } from './markup.js'
import { layoutStyles } from './layout-styles.js'
import { plotStyles } from './plot-styles.js'

export interface PageContent {
  title: string
  /** Small line above the first heading. */
  eyebrow: MarkupPart
  body: MarkupPart
  footer: MarkupPart
}

/** The whole document as a string. */
export function renderPage({ title, eyebrow, body, footer }: PageContent): string {
  const content = markup`<body>
<main>
<header class="masthead"><p class="eyebrow">${eyebrow}</p></header>
${body}
</main>
<footer>${footer}</footer>
</body>
</html>
`
  return head(title) + toHtml(content)
}

/** A titled part of the page; empty content leaves out the whole part. */
export function section(title: string, content: MarkupPart): Markup | null {
  return isEmpty(content) ? null : markup`<section><h2>${title}</h2>${content}</section>\n`
}

/** A plot with the sentence that says how to read it. `label` is its name for a screen reader. */
export function figure(label: string, caption: MarkupPart, content: MarkupPart): Markup {
  return markup`<figure aria-label="${label}"><figcaption>${caption}</figcaption>${content}</figure>\n`
}

/** A box in which a wide table scrolls by itself, with the keyboard too. */
export function scrollBox(label: string, content: MarkupPart): Markup {
  return markup`<div class="scroll" role="region" aria-label="${label}" tabindex="0">${content}</div>\n`
}

/** Pairs of name and value; pairs without a value are left out. */
export function factList(facts: [string, MarkupPart][]): Markup {
  const shown = facts.filter(([, value]) => !isEmpty(value) && value !== '')
  return markup`<dl class="facts">${shown.map(([name, value]) => markup`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>\n`
}

/** A heading where a workload has several variants; nothing where it has one. */
export function variantHeading(several: boolean, variant: string): Markup | null {
  return several ? markup`<h3>${variant}</h3>` : null
}

function isEmpty(content: MarkupPart): boolean {
  return (
    content === null ||
    content === undefined ||
    content === false ||
    (Array.isArray(content) && content.length === 0)
  )
}

function head(title: string): string {
  const text = toHtml(markup`${title}`)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="referrer" content="no-referrer">
<title>${text}</title>
<style>${layoutStyles}${plotStyles}</style>
</head>
`
}

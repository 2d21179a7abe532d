// Makes elements. What others have written, such as a name or a line of a log, becomes text and nothing else: there is no way from text to markup here.

export type Child = Node | string | null
export type Attributes = Readonly<Record<string, string | number | boolean | null>>

export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[Tag] {
  return filled(document.createElement(tag), attributes, children)
}

export function svgElement<Tag extends keyof SVGElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[Tag] {
  return filled(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children)
}

export function button(text: string, onClick: () => void, attributes: Attributes = {}): HTMLButtonElement {
  const made = element('button', { type: 'button', ...attributes }, text)
  made.addEventListener('click', onClick)
  return made
}

/** Only where it differs: a screen reader tells of each change, and a selection would be lost. */
export function setText(node: Element, text: string): void {
  if (node.textContent !== text) node.textContent = text
}

/** Null takes it away. */
export function setAttribute(node: Element, name: string, value: string | null): void {
  if (node.getAttribute(name) === value) return
  if (value === null) node.removeAttribute(name)
  else node.setAttribute(name, value)
}

function filled<Made extends Element>(made: Made, attributes: Attributes, children: readonly Child[]): Made {
  for (const [name, value] of Object.entries(attributes))
    if (value !== null && value !== false) made.setAttribute(name, value === true ? '' : String(value))
  made.append(...children.filter((child) => child !== null))
  return made
}

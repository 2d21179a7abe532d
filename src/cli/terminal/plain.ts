// Text of others for a terminal: the name of a file, a line of a log, a message of the user's code must not steer it.

import { stripVTControlCharacters } from 'node:util'

// eslint-disable-next-line no-control-regex -- these are what is removed
const STEERING = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g

/** Without anything that steers a terminal, or turns the direction in which the rest is shown. */
export function plain(line: string): string {
  return stripVTControlCharacters(line).replace(STEERING, ' ')
}

/** The same, where colours may stay: `ESC [ 31 m` and the like change nothing but how the text looks. */
export function plainWithColors(line: string): string {
  // eslint-disable-next-line no-control-regex -- these are what is kept
  const parts = line.split(/(\u001b\[[\d;]*m)/)
  const text = parts
    .map((part, index) => (index % 2 === 1 ? part : plain(part.replaceAll('\t', '  '))))
    .join('')
  return parts.length > 1 ? `${text}\u001b[0m` : text
}

/** Several lines. */
export function plainLines(text: string): string {
  return text.split('\n').map(plain).join('\n')
}

// Turns the plain figures of the terminal into what a printed page would show.

import { dash } from '../figures/format-number.js'

/** "45 us" -> "45 µs" with a space that does not break, "1 .. 2" -> "1–2", and an en dash for a figure that is missing. */
export function typeset(figure: string): string {
  if (figure === dash) return '–'
  return figure
    .replace(/ us$/, ' µs')
    .replace(/ \.\. /, ' – ')
    .replace(/ /g, '\u00a0')
}

// Lays out text for a terminal: safe to print, measured in columns, wrapped at words.

import { stripVTControlCharacters } from 'node:util'

/**
 * The text on one line, without anything that would move the cursor, change colours or reverse the reading direction: task
 * names and error messages come from elsewhere.
 */
export function oneLine(text: string): string {
  return stripVTControlCharacters(text)
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/[\p{Bidi_Control}\p{Cs}]/gu, '?')
    .replace(/ {2,}/g, ' ')
    .trim()
}

/** Terminal columns that the text takes; East Asian wide characters and emoji take two, combining marks none. */
export function textWidth(text: string): number {
  let width = 0
  for (const character of stripVTControlCharacters(text)) width += characterWidth(character)
  return width
}

/** Wraps at spaces; a word longer than a line is broken. Always at least one line. */
export function wrapText(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of oneLine(text)
    .split(' ')
    .flatMap((long) => breakWord(long, width))) {
    if (line === '') line = word
    else if (textWidth(line) + 1 + textWidth(word) <= width) line += ` ${word}`
    else {
      lines.push(line)
      line = word
    }
  }
  return [...lines, line]
}

/** A wrapped text whose first line starts with `lead` and whose other lines are indented as far. */
export function hangingText(lead: string, text: string, width: number): string[] {
  const indent = ' '.repeat(textWidth(lead))
  return wrapText(text, width - indent.length).map((line, index) => (index === 0 ? lead : indent) + line)
}

/** Cut to the width, with ".." at the end when something is missing. */
export function shorten(text: string, width: number): string {
  if (textWidth(text) <= width) return text
  return `${breakWord(text, Math.max(1, width - 2))[0] ?? ''}..`
}

/** Filled up with spaces on the right (left-aligned) or on the left. */
export function pad(text: string, width: number, align: 'left' | 'right'): string {
  const space = ' '.repeat(Math.max(0, width - textWidth(text)))
  return align === 'left' ? text + space : space + text
}

function breakWord(word: string, width: number): string[] {
  const pieces: string[] = []
  let piece = ''
  for (const character of word) {
    if (piece !== '' && textWidth(piece) + characterWidth(character) > width) {
      pieces.push(piece)
      piece = ''
    }
    piece += character
  }
  return [...pieces, piece]
}

function characterWidth(character: string): number {
  if (character <= '~') return 1
  if (/\p{M}|\p{Cf}/u.test(character)) return 0
  return /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\u{20000}-\u{3fffd}]/u.test(
    character,
  )
    ? 2
    : 1
}

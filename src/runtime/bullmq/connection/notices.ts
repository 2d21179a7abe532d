// Texts of any length over NOTIFY of PostgreSQL, which takes less than 8000 bytes: in numbered pieces. Those of one transaction arrive together
// and in order; of two that are the same only one does, so each text has a number, too.

import { createHash } from 'node:crypto'

const PIECE = 7900

/** A name of PostgreSQL has at most 63 bytes. */
export function noticeChannel(channel: string): string {
  return `threadwise_${createHash('sha1').update(channel).digest('hex')}`
}

/** `text` is JSON, so each letter that takes more than a byte has another form. */
function toPieces(text: string, number: number): string[] {
  const ascii = text.replace(
    /[\x7f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  const count = Math.max(1, Math.ceil(ascii.length / PIECE))
  return Array.from(
    { length: count },
    (_, i) => `${number}.${i}/${count}:${ascii.slice(i * PIECE, (i + 1) * PIECE)}`,
  )
}

const NOTIFY =
  'select pg_notify(channel, piece) from unnest($1::text[], $2::text[]) with ordinality as p(channel, piece, n) order by n'

/** Sends texts in their order: on one connection after the other, with all that wait in one transaction. */
export function createPublisher(
  query: (text: string, values: readonly unknown[]) => Promise<unknown>,
): (channel: string, text: string) => Promise<void> {
  let channels: string[] = []
  let pieces: string[] = []
  let sent = 0
  let sending: Promise<void> | undefined
  const send = async () => {
    try {
      while (pieces.length > 0) {
        const values = [channels, pieces]
        channels = []
        pieces = []
        await query(NOTIFY, values)
      }
    } finally {
      sending = undefined
    }
  }
  return (channel, text) => {
    const own = toPieces(text, sent++)
    pieces.push(...own)
    channels.push(...own.map(() => noticeChannel(channel)))
    return (sending ??= send())
  }
}

/** Gives each text that is complete; what lacks its begin, or is no piece, is dropped. */
export function createCollector(onText: (text: string) => void): (piece: string) => void {
  let pieces: string[] = []
  let current: string | undefined
  return (piece) => {
    const [head = '', number, index, count] = /^(\d+)\.(\d+)\/(\d+):/.exec(piece) ?? []
    if (number !== current || Number(index) !== pieces.length) pieces = []
    current = number
    if (head === '' || Number(index) !== pieces.length) return
    pieces.push(piece.slice(head.length))
    if (pieces.length < Number(count)) return
    onText(pieces.join(''))
    pieces = []
  }
}

// The frames that a page draws, and how long each waited for the one before.

import { ThreadwiseError } from '../../errors/errors.js'

/** What of a page is used here: its types are not among those of Node. */
interface Page {
  readonly document?: Visibility
  requestAnimationFrame(callback: () => void): number
  cancelAnimationFrame(id: number): void
}

interface Visibility {
  readonly hidden: boolean
  addEventListener(type: 'visibilitychange', listener: () => void): void
  removeEventListener(type: 'visibilitychange', listener: () => void): void
}

const page = globalThis as unknown as Page

/**
 * Once a frame was drawn.
 *
 * @throws TW_ERR_INVALID_CALL on a server, in a worker, and in a page that nobody sees: there none is drawn
 */
export async function nextFrame(): Promise<void> {
  const { document } = page
  if (document === undefined || document.hidden) throw notSeen()
  let onHidden: () => void
  const hidden = new Promise<never>((_, reject) => (onHidden = () => reject(notSeen())))
  document.addEventListener('visibilitychange', onHidden!)
  // The timer fires after the frame, of which the callback is the start.
  const drawn = new Promise<void>((resolve) => page.requestAnimationFrame(() => setTimeout(resolve)))
  await Promise.race([drawn, hidden]).finally(() =>
    document.removeEventListener('visibilitychange', onHidden),
  )
}

function notSeen(): ThreadwiseError {
  const received = 'one that draws none: it is hidden, or no page'
  return new ThreadwiseError('TW_ERR_INVALID_CALL', {
    call: 'measure()',
    expected: 'a page that draws frames',
    received,
  })
}

/** Until what it gives is called, which tells the longest wait between two frames, in milliseconds. */
export function watchFrames(): () => number {
  let longest = 0
  let last = performance.now()
  // Not by the time that a frame is given: of one that was late it is when it was due.
  const onFrame = () => {
    const now = performance.now()
    longest = Math.max(longest, now - last)
    last = now
    id = page.requestAnimationFrame(onFrame)
  }
  let id = page.requestAnimationFrame(onFrame)
  return () => {
    page.cancelAnimationFrame(id)
    return longest
  }
}

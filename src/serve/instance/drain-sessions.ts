// Lets the sessions of HTTP/2 end without a lost request. A client that gets a GOAWAY sends no new request, but one may be on its way, and Node's own
// client refuses one that it is about to send. So it comes with an answer, when a client is not about to ask:
//
//   idle ──next request, or a silence──> GOAWAY that still takes all requests ──a second──> GOAWAY that takes no more (RFC 9113, 6.8)

import type { Http2Session } from './watch-servers.js'

/** In which what was on its way has arrived. */
const NOTICE_MS = 1000
const MAX_STREAM = 2 ** 31 - 1

export interface SessionDrain {
  /** Whether a client may still send a request that an app which was told to end would refuse. */
  mayAsk(): boolean
}

/** `silentMs`: after which a client that asks nothing is told too. */
export function drainSessions(
  sessions: Iterable<Http2Session>,
  { silentMs, graceMs }: { silentMs: number; graceMs: number },
): SessionDrain {
  const open = new Set<Http2Session>()
  const noticeMs = Math.min(NOTICE_MS, graceMs / 4)
  for (const session of sessions) {
    open.add(session)
    session.once('close', () => open.delete(session))
    const end = () => {
      open.delete(session)
      if (!session.destroyed) session.close()
    }
    const notice = () => {
      clearTimeout(timer)
      session.off('stream', notice)
      if (session.destroyed) return
      session.goaway(0, MAX_STREAM)
      setTimeout(end, noticeMs).unref()
    }
    const timer = setTimeout(notice, silentMs).unref()
    session.on('stream', notice)
  }
  return { mayAsk: () => open.size > 0 }
}

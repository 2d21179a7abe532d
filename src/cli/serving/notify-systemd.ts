// Tells systemd how a service is, where it asked for that (Type=notify): started when it serves, not when its process runs.

import { spawn } from 'node:child_process'

const hasAsked = () => process.env.NOTIFY_SOCKET !== undefined

/** Node has no datagrams over Unix sockets, and systemd comes with a program for that. */
export function notifySystemd(state: '--ready' | '--stopping'): void {
  if (!hasAsked()) return
  const child = spawn('systemd-notify', [state], { stdio: 'ignore' })
  child.on('error', () => {}) // it is not there: systemd waits, and its log says for what
  child.unref()
}

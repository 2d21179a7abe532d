// Tells systemd how a service is, where it asked for that (Type=notify): started when it serves, not when its process runs.

import { spawn } from 'node:child_process'

export interface Systemd {
  /** All that there is to start serves. */
  ready(): void
}

/** Takes the variable away: an app that speaks to systemd by itself would say that all is ready when it is. */
export function takeSystemd(env: NodeJS.ProcessEnv = process.env): Systemd {
  const { NOTIFY_SOCKET: socket } = env
  delete env.NOTIFY_SOCKET
  return {
    ready() {
      if (socket !== undefined) notify(socket)
    },
  }
}

/** Node has no datagrams over Unix sockets, and systemd comes with a program for that. */
function notify(socket: string): void {
  const env = { ...process.env, NOTIFY_SOCKET: socket }
  const child = spawn('systemd-notify', ['--ready'], { stdio: ['ignore', 'ignore', 'inherit'], env })
  child.on('error', ({ message }) => {
    process.stderr.write(`systemd is not told that all serve, and waits for it: ${message}\n`)
  })
  child.unref()
}

// Ends a process group when this process has gone, however it ended. By itself a group does not notice that while it is stopped, or in
// an endless loop.
//
// Only another process can do it. A shell that waits for the end of its input, which the system closes with this process, takes a
// tenth of the memory of Node, and no time until then.

import { spawn, type ChildProcess } from 'node:child_process'

/** It is told before the group ends by other means: the number may be another group's later. */
const SCRIPT = `trap '' HUP INT QUIT TERM; read -r told || kill -9 "-$1"`

/** `leader`: of a group of its own. Where there are no groups, as on Windows, or there is no shell, nothing is done. */
export function endGroupWithUs(leader: ChildProcess): void {
  if (leader.pid === undefined || process.platform === 'win32') return
  const shell = spawn('/bin/sh', ['-c', SCRIPT, 'threadwise-guard', String(leader.pid)], {
    // Away from the process group, which a terminal ends as a whole.
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    cwd: '/',
  })
  shell.on('error', () => {}) // there is none
  shell.stdin.on('error', () => {}) // it was killed
  shell.unref()
  leader.once('close', () => shell.stdin.end('ended\n'))
}

// Removes folders when this process has gone, however it ended: a checkout that nobody needs must not stay.

import { spawn } from 'node:child_process'

/** Twice: what was still being written when this process ended may have come in between. The last folder goes only if it is empty. */
const SCRIPT = `trap '' HUP INT QUIT TERM; read -r told && exit; for again in 1 2; do rm -rf -- "$1" "$2"; sleep 1; done; rmdir -- "$3" 2>/dev/null`

/** Gives what tells that they are removed. Where there is no shell, as on Windows, only an end in order removes them. */
export function removedWithUs(folder: string, record: string, parent: string): () => void {
  if (process.platform === 'win32') return () => {}
  const shell = spawn('/bin/sh', ['-c', SCRIPT, 'threadwise-guard', folder, record, parent], {
    // Away from the process group, which a terminal ends as a whole.
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    cwd: '/',
  })
  shell.on('error', () => {}) // there is none
  shell.stdin.on('error', () => {}) // it was killed
  shell.unref()
  ;(shell.stdin as unknown as { unref?: () => void }).unref?.()
  return () => void shell.stdin.end('removed\n')
}

// Ends instances that outlive this process because they are in an endless loop, and so do not notice that it was killed; and what instances
// have started, which notices nothing.
//
// Only another process or thread can do that. A thread in each instance would take memory in each of them; a shell that waits for
// the end of its input takes a tenth of that once, and does nothing until then. See docs/maintainers/figures.md.

import { spawn, type ChildProcess } from 'node:child_process'
import type { Socket } from 'node:net'
import { START_VARIABLE } from '../contract/place-variables.js'

/** Before a mark in a line for the guard. */
const MARK_SIGN = '='

/**
 * The last line that it reads has the ids of the processes that are to end, and the marks of those that are about to begin. A mark is in the
 * environment of its process: it is found where this process is killed after the start, and before it could tell the id. A process that
 * begins shows its environment a moment later, so each second has a new look. Ids of processes that have ended are dropped every second, long
 * before the system gives them to others.
 */
const SCRIPT = `
trap '' HUP INT QUIT TERM
words=
while read -r line; do words=$line; done
pids=
marks=
for word in $words; do
  case $word in ${MARK_SIGN}*) marks="$marks \${word#${MARK_SIGN}}" ;; *) pids="$pids $word" ;; esac
done
find_marked() {
  for mark in $marks; do
    for file in $(grep -l "${START_VARIABLE}=$mark" /proc/[0-9]*/environ 2>/dev/null); do
      pid=\${file#/proc/}
      pid=\${pid%/environ}
      case " $pids " in *" $pid "*) ;; *) pids="$pids $pid" ;; esac
    done
  done
}
find_marked
left=$1
while [ -n "$pids$marks" ] && [ "$left" -gt 0 ]; do
  sleep 1
  left=$((left - 1))
  alive=
  for pid in $pids; do
    if kill -0 "$pid" 2>/dev/null; then alive="$alive $pid"; else kill -9 "-$pid" 2>/dev/null; fi
  done
  pids=$alive
  find_marked
done
for pid in $pids; do kill -9 "-$pid" 2>/dev/null || kill -9 "$pid"; done`

/** It is not started again when somebody has ended it so often. */
const MAX_ENDS = 10

export interface OrphanGuard {
  /**
   * A process begins, with this mark in its environment. It is to end as well, until watch() is called: where /proc is, no moment is left in
   * which a process is there and nobody would end it.
   */
  expect(mark: string): void
  /** These are to end soon after this process, and no others. */
  watch(processes: Iterable<{ readonly pid: number }>): void
}

/** Where there is no shell, as on Windows and in some containers, it does nothing. */
export function createOrphanGuard(graceMs: number): OrphanGuard {
  const seconds = Math.ceil(graceMs / 1000) + 2
  let child: ChildProcess | undefined
  /** Those that are not of ours. */
  let ends = process.platform === 'win32' ? MAX_ENDS : 0
  /** Of those that run. */
  let ids = ''
  let last = ''
  const start = () => {
    const started = spawnGuard(seconds)
    const restart = () => {
      if (child !== started) return
      ends++
      child = undefined
      if (last !== '') write(last)
    }
    started.on('error', ({ code }: NodeJS.ErrnoException) => {
      if (child === started) child = undefined
      if (code !== 'EMFILE' && code !== 'EAGAIN') ends = MAX_ENDS // there is no shell
    })
    started.once('exit', restart)
    return started
  }
  const write = (line: string) => {
    last = line
    if (!child && ends < MAX_ENDS) child = start()
    child?.stdin?.write(`${line}\n`)
  }
  return {
    expect(mark) {
      write(`${ids} ${MARK_SIGN}${mark}`)
    },
    watch(processes) {
      const pids = [...processes].map(({ pid }) => pid)
      ids = pids.filter((pid) => pid > 0).join(' ') // 0, of one that could not be started, is the whole group
      if (ids !== '' || child) write(ids)
      if (ids !== '') return
      child?.kill('SIGKILL') // it has nothing to do, and whoever waits for the end of this process expects nobody after it
      child = undefined
    },
  }
}

function spawnGuard(seconds: number): ChildProcess {
  const child = spawn('/bin/sh', ['-c', SCRIPT, 'threadwise-guard', String(seconds)], {
    // Away from the process group, which a terminal ends as a whole.
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    cwd: '/',
  })
  const input = child.stdin as Socket | undefined // none when file descriptors have run out
  input?.on('error', () => {}) // it was killed; 'exit' follows
  input?.unref()
  child.unref()
  return child
}

// A folder for what an experiment needs while it runs: it goes with it, however it ends. What a killed run has left goes when the next one
// starts.

import { spawn } from 'node:child_process'
import { lstatSync, mkdtempSync, readdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isAlive } from '../../primitives/is-alive.js'

/** threadwise-lab-NAME-PID-RANDOM */
const NAME = /^threadwise-lab-[a-z]+-(\d+)-\w{6}$/

export async function inTemporaryFolder<T>(
  name: string,
  signal: AbortSignal | undefined,
  use: (folder: string) => Promise<T>,
): Promise<T> {
  for (const folder of leftFolders()) removeLater(folder)
  const folder = mkdtempSync(join(tmpdir(), `threadwise-lab-${name}-${process.pid}-`))
  try {
    return await use(folder)
  } finally {
    await remove(folder, signal)
  }
}

/** Those of programs that run no more, and only what this user has made. */
export function leftFolders(parent = tmpdir()): string[] {
  const names = readdirSync(parent).filter((name) => {
    const pid = Number(NAME.exec(name)?.[1])
    return pid > 0 && !isAlive(pid)
  })
  return names.map((name) => join(parent, name)).filter(isOwnFolder)
}

/** Not a link that somebody has put there. */
function isOwnFolder(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  return stats?.isDirectory() === true && (process.getuid === undefined || stats.uid === process.getuid())
}

/** Hundreds of thousands of files take longer than somebody who has pressed Ctrl-C waits. */
async function remove(folder: string, signal: AbortSignal | undefined): Promise<void> {
  // A store that ends at the same time may still put files there.
  const options = { recursive: true, force: true, maxRetries: 3 }
  const removed = rm(folder, options)
  if (signal && !(await isDoneBefore(removed, signal))) removeLater(folder)
  else await removed
}

const PATIENCE_MS = 100

/** False: the signal was aborted, and a little later it is still not done. */
function isDoneBefore(work: Promise<void>, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const wait = () => setTimeout(() => resolve(false), PATIENCE_MS)
    work.then(() => resolve(true), reject)
    if (signal.aborted) wait()
    else signal.addEventListener('abort', wait, { once: true })
  })
}

/** By a process that outlives this one. */
function removeLater(folder: string): void {
  const text = 'require("fs").rmSync(process.argv[1],{recursive:true,force:true,maxRetries:9})'
  spawn(process.execPath, ['-e', text, folder], { detached: true, stdio: 'ignore' }).unref()
}

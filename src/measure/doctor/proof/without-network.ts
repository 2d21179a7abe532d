// How a program is started that has no network: in a namespace of its own, where this user may make one.

import { spawn } from 'node:child_process'

/** Of util-linux. A user who is not root needs a namespace of users too; some containers allow neither. */
const WAYS = [
  ['unshare', '--net', '--'],
  ['unshare', '--user', '--map-current-user', '--net', '--'],
]

let found: Promise<readonly string[]> | undefined

/** Words to put before a command; none where it is not possible. */
export function withoutNetwork(): Promise<readonly string[]> {
  return (found ??= findWay())
}

async function findWay(): Promise<readonly string[]> {
  if (process.platform !== 'linux') return []
  for (const way of WAYS) if (await works([...way, process.execPath, '-e', '0'])) return way
  return []
}

function works([program, ...args]: readonly string[]): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(program!, args, { stdio: 'ignore', env: {} })
    child.once('error', () => resolve(false))
    child.once('exit', (code) => resolve(code === 0))
  })
}

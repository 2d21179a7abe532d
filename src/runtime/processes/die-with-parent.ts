// A child that computes cannot notice that its program was killed. On Linux the kernel ends it then: with the thread that has started it.
//
//   program --spawn--> setpriv --pdeathsig KILL --exec--> node      one process, with one number: setpriv becomes the child
//
// Node has no call for that (nodejs/node#9658 asks for one). setpriv is of util-linux, which Debian, Ubuntu and Fedora always have; where it is
// missing (Alpine, containers without a system, other systems), such a child ends when its task returns.

import { readFileSync } from 'node:fs'
import { otherRuntime } from '../../primitives/other-runtime.js'

const SETPRIV = '/usr/bin/setpriv'

export interface Command {
  readonly file: string
  readonly args: readonly string[]
}

export function dyingWithParent(command: Command): Command {
  if (!isThere()) return command
  return { file: SETPRIV, args: ['--pdeathsig', 'KILL', '--', command.file, ...command.args] }
}

let isFound: boolean | undefined

function isThere(): boolean {
  // Others may start a child in a thread that ends before the program does.
  return (isFound ??= process.platform === 'linux' && otherRuntime() === null && canSetSignal())
}

/** Busybox has a setpriv without this, and so had util-linux before 2.33. Node's permissions may keep us from reading it. */
function canSetSignal(): boolean {
  try {
    return readFileSync(SETPRIV).includes('pdeathsig')
  } catch {
    return false
  }
}

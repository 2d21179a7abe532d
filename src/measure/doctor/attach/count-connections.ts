// Who is connected to a port of this machine.

import { readFileSync } from 'node:fs'

/**
 * As Linux tells it. A function that uses nothing around it: its text is run in other processes too.
 *
 * @returns how many connections there are, those included that nobody has accepted yet; -1 where that cannot be told
 */
export function countConnections(port: number, read: typeof readFileSync = readFileSync): number {
  // In the order of include/net/tcp_states.h: established, being made, and closed by the other side alone.
  const states = ['01', '03', '08']
  const end = ':' + port.toString(16).toUpperCase().padStart(4, '0')
  let count = 0
  let isKnown = false
  for (const name of ['tcp', 'tcp6']) {
    let text = ''
    try {
      text = read('/proc/self/net/' + name, 'utf8')
      isKnown = true
    } catch {
      // without IPv6 there is no such file
    }
    for (const line of text.split('\n')) {
      const words = line.trim().split(/\s+/)
      if (words[1]?.endsWith(end) && states.includes(words[3]!)) count++
    }
  }
  return isKnown ? count : -1
}

/** Whether somebody of this machine listens there. */
export function isListening(port: number): boolean {
  const end = ':' + port.toString(16).toUpperCase().padStart(4, '0')
  return ['tcp', 'tcp6'].some((name) => {
    const lines = textOf(`/proc/self/net/${name}`).split('\n')
    return lines.some((line) => {
      const [, local, , state] = line.trim().split(/\s+/)
      return state === '0A' && local!.endsWith(end)
    })
  })
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return '' // without IPv6 there is no such file
  }
}

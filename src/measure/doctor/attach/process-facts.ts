// What Linux tells of a process that runs: whose it is, what it runs, the signals that it takes, and the ports that it listens on.

import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

export interface ProcessFacts {
  readonly uid: number
  /** Path of the program, such as that of node. */
  readonly program: string
  readonly words: readonly string[]
  /** The variable of its environment. */
  readonly nodeOptions: string
  readonly folder: string
  /** Whether it has a handler for SIGUSR1; without one the signal ends it. Node has one of its own. */
  readonly takesSigusr1: boolean
  /** It is in a container of which this process sees nothing else. */
  readonly isElsewhere: boolean
}

/** Null: there is no such process. */
export function ownerOf(pid: number): number | null {
  return numberOf(statusOf(pid), /^Uid:\s+\d+\s+(\d+)/m)
}

/** Null: it has ended. Of a process of another user nobody is told that much. */
export function factsOf(pid: number): ProcessFacts | null {
  try {
    const caught = /^SigCgt:\s+([0-9a-f]+)/m.exec(statusOf(pid) ?? '')?.[1] ?? '0'
    const listOf = (name: string) => readFileSync(`/proc/${pid}/${name}`, 'utf8').split('\0')
    const option = listOf('environ').find((each) => each.startsWith('NODE_OPTIONS='))
    return {
      uid: ownerOf(pid)!,
      program: readlinkSync(`/proc/${pid}/exe`).replace(/ \(deleted\)$/, ''),
      words: listOf('cmdline').slice(0, -1),
      nodeOptions: option?.slice('NODE_OPTIONS='.length) ?? '',
      folder: readlinkSync(`/proc/${pid}/cwd`),
      takesSigusr1: ((BigInt(`0x${caught}`) >> BigInt(SIGUSR1 - 1)) & 1n) === 1n,
      isElsewhere: ['mnt', 'net', 'pid'].some((kind) => namespaceOf(pid, kind) !== namespaceOf('self', kind)),
    }
  } catch {
    return null
  }
}

/** The group that it belongs to; null: it has ended. */
export function groupOf(pid: number): number | null {
  const text = textOf(`/proc/${pid}/stat`)
  return text === null ? null : Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[2])
}

/** With which it was started; null: it has ended, or is somebody else's. */
export function variablesOf(pid: number): ReadonlyMap<string, string> | null {
  const text = textOf(`/proc/${pid}/environ`)
  if (text === null || text === '') return text === null ? null : new Map()
  return new Map(text.split('\0').map((each) => each.split(/=(.*)/s) as [string, string]))
}

/** When it was started, as a number of its own; null: it has ended. Another process that gets its id later has another one. */
export function startTimeOf(pid: number): string | null {
  const text = textOf(`/proc/${pid}/stat`)
  const [state, ...rest] = text?.slice(text.lastIndexOf(')') + 2).split(' ') ?? ['Z']
  return state === 'Z' || state === 'X' ? null : (rest[18] ?? null)
}

/** On Linux, but for MIPS. */
const SIGUSR1 = 10
/** In /proc/net/tcp. */
const LISTENS = '0A'

/** Ports of TCP, and for each whether it is one of the process. */
export function listeningPorts(pid: number): { port: number; isIts: boolean }[] {
  const sockets = new Set(readdirSync(`/proc/${pid}/fd`).flatMap((fd) => socketOf(`/proc/${pid}/fd/${fd}`)))
  return ['tcp', 'tcp6'].flatMap((name) => {
    const lines = (textOf(`/proc/${pid}/net/${name}`) ?? '').split('\n').slice(1)
    return lines.flatMap((line) => {
      const [, local, , state, , , , , , socket] = line.trim().split(/\s+/)
      if (state !== LISTENS) return []
      return [{ port: parseInt(local!.split(':')[1]!, 16), isIts: sockets.has(socket!) }]
    })
  })
}

function socketOf(path: string): string[] {
  try {
    return /^socket:\[(\d+)\]$/.exec(readlinkSync(path))?.slice(1) ?? []
  } catch {
    return [] // it was closed meanwhile
  }
}

/** Ids of the processes that it has started, and that run. */
export function childrenOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`)
      .flatMap((thread) => (textOf(`/proc/${pid}/task/${thread}/children`) ?? '').split(' '))
      .filter((text) => text.trim() !== '')
      .map(Number)
  } catch {
    return []
  }
}

function namespaceOf(pid: number | 'self', kind: string): string {
  return readlinkSync(`/proc/${pid}/ns/${kind}`)
}

function statusOf(pid: number): string | null {
  return textOf(`/proc/${pid}/status`)
}

function numberOf(text: string | null, pattern: RegExp): number | null {
  const found = text === null ? null : pattern.exec(text)
  return found ? Number(found[1]) : null
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

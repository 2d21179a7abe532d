// Which process runs a service: a file for each, NAME.PID.run.json in the folder of the state. A socket can get lost while its service runs on,
// at a logout or by a cleaner of temporary files; and a shell may look for it in another folder. By its record a service is known to run.
//
// A process is named by its id, its start and the boot of the machine: the id alone may be that of another one by now.

import { readdirSync, readFileSync, readlinkSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readOwnFile } from '../../user/read-own-file.js'
import { stateFolder } from '../../user/state-folder.js'
import { has, isFlag, isNumber, isText } from '../contract/shapes.js'
import { isRunning, startOf } from './process-start.js'

export interface RunRecord {
  readonly version: 1
  readonly name: string
  readonly pid: number
  /** See process-start.ts. */
  readonly start: number
  readonly boot: string
  /** Its control socket; it may have been lost since. */
  readonly socket: string
  /** In which it was to be reached at its start. One in the foreground is found by those alone who look there. */
  readonly folder: string
  readonly isBackground: boolean
}

const ENDING = '.run.json'

const isRunRecord = has({
  version: (value) => value === 1,
  name: isText,
  pid: isNumber,
  start: isNumber,
  boot: isText,
  socket: isText,
  folder: isText,
  isBackground: isFlag,
})

/** That of this process. */
export function ownRecord(about: Pick<RunRecord, 'name' | 'socket' | 'folder' | 'isBackground'>): RunRecord {
  return { version: 1, ...about, pid: process.pid, start: startOf(process.pid), boot: boot() }
}

/** Throws where it cannot be written. */
export function writeRecord(record: RunRecord): void {
  const path = pathOf(stateFolder(), record)
  const temporary = `${path}.new`
  try {
    writeFileSync(temporary, JSON.stringify(record), { mode: 0o600, flag: 'w' })
    renameSync(temporary, path) // whoever reads it finds all of it
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

export function removeRecord(record: RunRecord): void {
  try {
    rmSync(pathOf(stateFolder(), record), { force: true })
  } catch {
    // A folder that cannot be written any more: its process says that it has ended.
  }
}

/** Of services whose processes run. One that cannot be read is none: what it was of may still be found by its socket. */
export function recordsOfLiving(): RunRecord[] {
  return records().filter(isLiving)
}

/** Of processes that were killed, or are of another container or of the time before the machine started. */
export function recordsOfDead(): RunRecord[] {
  return records().filter((record) => !isLiving(record))
}

export function isLiving({ pid, start, boot: then }: RunRecord): boolean {
  return then === boot() && isRunning(pid, start)
}

function records(): RunRecord[] {
  let folder: string
  let names: string[]
  try {
    folder = stateFolder()
    names = readdirSync(folder).filter((name) => name.endsWith(ENDING))
  } catch {
    return []
  }
  return names.flatMap((name) => {
    try {
      const record: unknown = JSON.parse(readOwnFile(join(folder, name)))
      return isRunRecord(record) ? [record as RunRecord] : []
    } catch {
      return []
    }
  })
}

function pathOf(folder: string, { name, pid }: RunRecord): string {
  return join(folder, `${name}.${pid}${ENDING}`)
}

let known: string | undefined

/** Of the machine, and of the numbering of processes: each container has its own. Empty where the system does not say. */
function boot(): string {
  if (known !== undefined) return known
  try {
    const id = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return (known = `${id} ${readlinkSync('/proc/self/ns/pid')}`)
  } catch {
    return (known = '')
  }
}

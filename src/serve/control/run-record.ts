// Which process runs a service: a file for each, NAME.PID.run.json in the folder of the state. A socket can get lost while its service runs on,
// at a logout or by a cleaner of temporary files; and a shell may look for it in another folder. By its record a service is known to run.
//
// A process is named by its id, its start and the boot of the machine: the id alone may be that of another one by now.
//
// One that is to take the place of another has NAME.PID.next.json while it waits for that, and until it has its own record: so that no command
// finds nobody in between.

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

/** What waits to take the place of a service. */
export type NextRecord = Pick<RunRecord, 'version' | 'name' | 'pid' | 'start' | 'boot'>

const RUN = '.run.json'
const NEXT = '.next.json'

const ofProcess = {
  version: (value: unknown) => value === 1,
  name: isText,
  pid: isNumber,
  start: isNumber,
  boot: isText,
}
const isNextRecord = has(ofProcess)
const isRunRecord = has({ ...ofProcess, socket: isText, folder: isText, isBackground: isFlag })

/** That of this process. */
export function ownRecord(about: Pick<RunRecord, 'name' | 'socket' | 'folder' | 'isBackground'>): RunRecord {
  return { version: 1, ...about, ...ownProcess() }
}

function ownProcess() {
  return { pid: process.pid, start: startOf(process.pid), boot: boot() }
}

/** Throws where it cannot be written. */
export function writeRecord(record: RunRecord): void {
  write(record, RUN)
}

function write(record: NextRecord, ending: string): void {
  const path = pathOf(stateFolder(), record, ending)
  const temporary = `${path}.new`
  try {
    writeFileSync(temporary, JSON.stringify(record), { mode: 0o600, flag: 'w' })
    renameSync(temporary, path) // whoever reads it finds all of it
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

/** This process waits to take the place of a service. Gives what ends that. Where the folder cannot be written, commands can find nobody for a moment. */
export function announceNext(name: string): () => void {
  const record: NextRecord = { version: 1, name, ...ownProcess() }
  try {
    write(record, NEXT)
  } catch {
    return () => {}
  }
  return () => remove(record, NEXT)
}

/** Those that wait to take the place of services. */
export function nextProcesses(): NextRecord[] {
  return records<NextRecord>(NEXT, isNextRecord).filter(isLiving)
}

/** What processes of this name have left that were killed. */
export function forgetDead(name: string): void {
  for (const record of recordsOfDead()) if (record.name === name) remove(record, RUN)
  for (const record of records<NextRecord>(NEXT, isNextRecord))
    if (record.name === name && !isLiving(record)) remove(record, NEXT)
}

export function removeRecord(record: RunRecord): void {
  remove(record, RUN)
}

function remove(record: NextRecord, ending: string): void {
  try {
    rmSync(pathOf(stateFolder(), record, ending), { force: true })
  } catch {
    // A folder that cannot be written any more: its process says that it has ended.
  }
}

/** Of services whose processes run. One that cannot be read is none: what it was of may still be found by its socket. */
export function recordsOfLiving(): RunRecord[] {
  return runRecords().filter(isLiving)
}

/** Of processes that were killed, or are of another container or of the time before the machine started. */
export function recordsOfDead(): RunRecord[] {
  return runRecords().filter((record) => !isLiving(record))
}

export function isLiving({ pid, start, boot: then }: NextRecord): boolean {
  return then === boot() && isRunning(pid, start)
}

function runRecords(): RunRecord[] {
  return records(RUN, isRunRecord)
}

function records<Found>(ending: string, isWhole: (value: unknown) => boolean): Found[] {
  let folder: string
  let names: string[]
  try {
    folder = stateFolder()
    names = readdirSync(folder).filter((name) => name.endsWith(ending))
  } catch {
    return []
  }
  return names.flatMap((name) => {
    try {
      const record: unknown = JSON.parse(readOwnFile(join(folder, name)))
      return isWhole(record) ? [record as Found] : []
    } catch {
      return []
    }
  })
}

function pathOf(folder: string, { name, pid }: NextRecord, ending: string): string {
  return join(folder, `${name}.${pid}${ending}`)
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

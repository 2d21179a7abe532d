// Why doctor does not look at a process that runs. SIGUSR1 ends what is not Node.js, so nothing is tried that is not known to be right.

import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, extname, join, relative, resolve } from 'node:path'
import { factsOf, listeningPorts, ownerOf, type ProcessFacts } from './process-facts.js'
import { inspectorPlace } from './inspector-place.js'

const START = 'start the app with doctor instead: threadwise doctor FILE.'
/** A folder with more is not read to its end. */
const MAX_FILES = 2000

/** A sentence; null: it can be looked at, as far as can be known. */
export function whyNotAttach(pid: number): string | null {
  if (process.platform !== 'linux') return `Processes that run already are looked at on Linux only; ${START}`
  if (pid === process.pid) return `Process ${pid} is doctor itself.`
  const uid = ownerOf(pid)
  if (uid === null) return `No process ${pid} runs.`
  if (uid !== process.getuid!())
    return `Process ${pid} belongs to another user (uid ${uid}): start doctor as that user.`
  const facts = factsOf(pid)
  if (facts === null) return `Process ${pid} has ended, or this user may not look at it.`
  return ofProgram(pid, facts) ?? ofInspector(pid, facts) ?? ofSignal(pid, facts)
}

function ofProgram(
  pid: number,
  { program, isElsewhere, takesSigusr1, words, nodeOptions }: ProcessFacts,
): string | null {
  if (!/^node(js)?([-.\d].*)?$/.test(basename(program)))
    return `Process ${pid} is no Node.js: it runs ${program}.`
  if (isElsewhere) return `Process ${pid} runs in a container: run doctor there.`
  const options = [...words, ...nodeOptions.split(/\s+/)]
  if (
    options.some((word) => /^--(experimental-)?permission$/.test(word)) &&
    !options.includes('--allow-inspector')
  )
    return `Process ${pid} runs under Node's permission model, which refuses an inspector: start it with --allow-inspector, or without --permission.`
  if (!takesSigusr1)
    return `Process ${pid} does not take SIGUSR1 (it has just been started, or has --disable-sigusr1), and the signal would end it; ${START}`
  return null
}

function ofInspector(pid: number, facts: ProcessFacts): string | null {
  const { host, port } = inspectorPlace(facts)
  if (!isLoopback(host))
    return `The inspector of process ${pid} would listen at ${host}, where other machines reach it; ${START}`
  const isTaken = listeningPorts(pid).some((each) => each.port === port && !each.isIts)
  if (!isTaken) return null
  return `Port ${port}, which the inspector of process ${pid} would take, is taken: end the debugger of another process first.`
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || host.startsWith('127.')
}

function ofSignal(pid: number, facts: ProcessFacts): string | null {
  const place = placeOfSignal(programFolder(facts))
  if (place === null) return null
  return `Process ${pid} may handle SIGUSR1 itself (${place}), by which doctor would reach it; ${START}`
}

/** That of the file which was started; the working directory where that is a tool's. */
function programFolder({ words, folder }: ProcessFacts): string {
  const paths = words.slice(1).flatMap((word) => [resolve(folder, word), resolve(folder, `${word}.js`)])
  const file = paths.find((path) => statSync(path, { throwIfNoEntry: false })?.isFile())
  return file === undefined || file.includes('node_modules') ? folder : dirname(file)
}

/** Where code below a folder names the signal; null: nowhere, as far as was read. */
function placeOfSignal(folder: string): string | null {
  const waiting = [folder]
  for (let read = 0; waiting.length > 0 && read < MAX_FILES;) {
    const here = waiting.shift()!
    for (const entry of entriesOf(here)) {
      const path = join(here, entry.name)
      if (entry.isDirectory() && !/^\.|^node_modules$/.test(entry.name)) waiting.push(path)
      if (!entry.isFile() || !/^\.[cm]?[jt]sx?$/.test(extname(entry.name))) continue
      read++
      const line = lineOfSignal(path)
      if (line !== null) return `${relative(folder, path)}:${line}`
    }
  }
  return null
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

function lineOfSignal(file: string): number | null {
  try {
    const lines = readFileSync(file, 'utf8').split('\n')
    const at = lines.findIndex((line) => /(['"`])SIGUSR1\1/.test(line))
    return at === -1 ? null : at + 1
  } catch {
    return null
  }
}

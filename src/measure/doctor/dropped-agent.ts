// Processes of the app into which doctor's agent did not come: what started them has changed the environment. Of Linux, which shows it.

import { readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { FOLDER_VARIABLE } from './agent/json-lines.js'
import { factsOf, groupOf, listeningPorts, variablesOf } from './attach/process-facts.js'
import { shownCommand } from './shown-words.js'

export interface Dropped {
  readonly pid: number
  readonly isListening: boolean
  /** What happened, and what to write. */
  readonly sentence: string
}

interface Agents {
  /** Of processes, that of the app. */
  readonly group: number
  /** Where doctor's agent is. */
  readonly folder: string
  /** Processes that have it. */
  readonly known: ReadonlySet<number>
}

/** The first one, rather one that listens; null: there is none, as far as can be seen. */
export function findDropped({ group, folder, known }: Agents): Dropped | null {
  if (process.platform !== 'linux') return null
  const dropped = readdirSync('/proc')
    .flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []))
    .filter((pid) => !known.has(pid) && groupOf(pid) === group)
    .flatMap((pid) => droppedAt(pid, folder) ?? [])
  return dropped.find(({ isListening }) => isListening) ?? dropped[0] ?? null
}

function droppedAt(pid: number, folder: string): Dropped | null {
  const facts = factsOf(pid)
  const variables = variablesOf(pid)
  if (facts === null || variables === null || !/^node(js)?\b/.test(basename(facts.program))) return null
  const options = variables.get('NODE_OPTIONS') ?? ''
  if (options.includes(folder)) return null // its agent is on the way
  const name = shownCommand([basename(facts.words[0] ?? 'node'), ...facts.words.slice(1)]).join(' ')
  const who = `Process ${pid} of the app (${name}) was started without doctor's agent`
  const why = variables.has(FOLDER_VARIABLE) ? replaced(options, variables) : EMPTIED
  return { pid, isListening: listens(pid), sentence: `${who}: ${why}` }
}

const EMPTIED = `its environment was made anew, as env -i does. Write NODE_OPTIONS="$NODE_OPTIONS" ${FOLDER_VARIABLE}="$${FOLDER_VARIABLE}" behind env -i, or give doctor the file: threadwise doctor FILE.`

function replaced(options: string, variables: ReadonlyMap<string, string>): string {
  const own = shownCommand(['', ...options.split(/\s+/)])
    .join(' ')
    .trim()
  if (options === '')
    return 'what starts it takes NODE_OPTIONS out of the environment. Leave it there, or give doctor the file: threadwise doctor FILE.'
  if (variables.get('npm_config_node_options') === options)
    return `node-options=${own} in a file .npmrc replaces those of doctor. Take it out of there while doctor looks, and give it to doctor: NODE_OPTIONS="${own}" npx threadwise doctor ...`
  return `NODE_OPTIONS="${own}" replaces those of doctor. Write NODE_OPTIONS="$NODE_OPTIONS ${own}" where it is set, or give doctor the file: threadwise doctor FILE.`
}

function listens(pid: number): boolean {
  try {
    return listeningPorts(pid).some(({ isIts }) => isIts)
  } catch {
    return false // it has ended
  }
}

const DAEMON =
  /\b(pm2|forever)\s+(start|restart|reload|startOrRestart|startOrReload|resurrect)\b(?!.*--no-daemon)/

/** Commands that hand the app to a program which runs already; null: it is none that is known. */
export function daemonOf(command: readonly string[], folder = process.cwd()): string | null {
  const words = command.map((word) => basename(word))
  const [, name] = DAEMON.exec(words.join(' ')) ?? DAEMON.exec(scriptOf(words, folder)) ?? []
  if (name === undefined) return null
  const instead = name === 'pm2' ? 'Write pm2-runtime start instead of pm2 start, or' : 'Either'
  return `${name} hands the app to a daemon of its own, into which doctor cannot come. ${instead} start the app without it, or look at it where it runs: threadwise doctor --pid N.`
}

/** Of package.json, where the command runs one. */
function scriptOf([program, ...rest]: readonly string[], folder: string): string {
  if (!/^(npm|pnpm|yarn|bun)$/.test(program ?? '')) return ''
  const name = rest.find((word) => !/^(-.*|run|run-script)$/.test(word)) ?? ''
  try {
    const { scripts } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')) as {
      scripts?: Record<string, string>
    }
    return String(scripts?.[name] ?? '')
  } catch {
    return ''
  }
}

const DENIED = /ERR_ACCESS_DENIED|Access to this API has been restricted/
/** Files and stacks of the agent. */
const OURS = /threadwise[-:]|--allow-inspector/

/** Of an app that has ended: what it says where Node's permission model keeps the agent out; null: it says something else. */
export function deniedAgent(lastWords: string): string | null {
  if (!DENIED.test(lastWords) || !OURS.test(lastWords)) return null
  return "The app runs under Node's permission model, which keeps doctor's agent out. Leave --permission out of its options while doctor looks at it."
}

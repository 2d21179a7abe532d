// What a command does for one service by its name, or for all: for all at the same time, since one that waits must not hold up the others.

import { isThreadwiseError } from '../../errors/errors.js'
import { checkName } from '../../serve/contract/service-name.js'
import { listServices } from '../../serve/control/control-client.js'
import { nextProcesses } from '../../serve/control/run-record.js'
import { plain } from '../terminal/plain.js'
import { knownApps } from '../background/background-record.js'

export const ALL = 'all'

/** `action` gives what to say, or null when a signal has ended it. The exit code. */
export async function forEach(
  name: string,
  all: () => Promise<string[]>,
  action: (name: string) => Promise<string | null>,
): Promise<number> {
  if (name !== ALL) {
    checkName(name)
    const said = await action(name)
    process.stdout.write(said ?? '')
    return said === null ? 130 : 0
  }
  const names = await all()
  if (names.length === 0) process.stdout.write('There is none.\n')
  return sayInTurn(names.map((one) => ({ name: one, said: action(one) })))
}

export interface Doing {
  readonly name: string
  readonly said: Promise<string | null>
}

/** In their order, as soon as those before have ended. One that fails does not keep the others from their turn. The exit code. */
export async function sayInTurn(all: readonly Doing[]): Promise<number> {
  let worst = 0
  for (const { said } of all) said.catch(() => {}) // its turn comes
  for (const { name, said } of all) {
    try {
      const text = await said
      process.stdout.write(text ?? '')
      if (text === null) worst = 130
    } catch (error) {
      const text = isThreadwiseError(error) ? `${error.message} [${error.code}]` : (error as Error).message
      process.stderr.write(`${name}: ${plain(text)}\n`)
      worst = Math.max(worst, 1)
    }
  }
  return worst
}

/** Names of the services that run, with those that do not answer, and those that are being restarted. */
export async function running(): Promise<string[]> {
  const next = nextProcesses() // before: what has come meanwhile is listed
  const { services, silent } = await listServices()
  const names = [...services, ...next].map(({ name }) => name)
  return [...new Set([...names, ...silent])].sort()
}

/** With those that ran in the background. */
export async function known(): Promise<string[]> {
  const remembered = knownApps().map(({ plan }) => plan.name)
  return [...new Set([...(await running()), ...remembered])].sort()
}

/** Those of them that do not run. */
export async function ended(): Promise<string[]> {
  const names = await running()
  return (await known()).filter((name) => !names.includes(name))
}

/** At most so many processes start at the same time: more would make each other late. */
const STARTS = 16

/** Runs the actions, so many at a time, and gives what each will say. */
export function limited<T>(
  items: readonly T[],
  action: (item: T) => Promise<string | null>,
): Promise<string | null>[] {
  let free = STARTS
  const waiting: (() => void)[] = []
  return items.map(async (item) => {
    if (free === 0) await new Promise<void>((resolve) => waiting.push(resolve))
    else free--
    try {
      return await action(item)
    } finally {
      const next = waiting.shift()
      if (next) next()
      else free++
    }
  })
}

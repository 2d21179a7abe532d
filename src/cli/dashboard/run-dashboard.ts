// `threadwise dashboard`: serves the live page until Ctrl-C.

import { lstatSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { checkOption } from '../../errors/check-options.js'
import { createAsked } from '../terminal/asked-to-end.js'
import { defaultConnection } from '../terminal/connection.js'
import { runtimeFolders } from '../../user/runtime-folder.js'
import { createAdmission, newToken } from './admission.js'
import { Collector } from './look/collector.js'
import { createDashboardServer, type DashboardServer } from './dashboard-server.js'
import { checkQueues, watchQueues, type QueueAddresses } from './look/queue-watch.js'

export interface DashboardFlags {
  readonly port?: number
  readonly socket?: string
  readonly readOnly?: boolean
  readonly queue?: readonly string[]
  readonly connection?: string
  readonly prefix?: string
}

/** The exit code. */
export async function runDashboard(flags: DashboardFlags): Promise<number> {
  const { port = 0, socket, readOnly = false, queue: queues = [] } = flags
  const isPort = Number.isInteger(port) && port >= 0 && port < 65_536
  checkOption(isPort, 'port', 'a number from 0 (any that is free) to 65535', port)
  checkOption(
    socket === undefined || flags.port === undefined,
    'port',
    'left out beside --socket',
    flags.port,
  )
  for (const name of ['connection', 'prefix'] as const)
    checkOption(queues.length > 0 || flags[name] === undefined, name, 'given with --queue only', flags[name])
  const addresses = addressesOf(queues, flags)
  checkQueues(addresses)
  runtimeFolders() // where it cannot be read, nothing could be shown
  const admission = createAdmission(givenToken() ?? newToken(), readOnly)
  const collector = new Collector({ queues: watchQueues(addresses) })
  const server = createDashboardServer(admission, collector)
  const place = await listen(server, socket, port)
  process.stdout.write(`${place}/${admission.token}/\n`)
  process.stderr.write(
    `Whoever has this address sees all services of this user${readOnly ? '' : ', and can change them'}. Ctrl-C ends it.\n`,
  )
  await untilSignal()
  server.close()
  return 0
}

/** The secret comes from the environment alone, as ps shows arguments. */
function addressesOf(
  queues: readonly string[],
  { connection = defaultConnection(), prefix }: DashboardFlags,
): QueueAddresses {
  const secret = (process.env.THREADWISE_SECRET ?? '').split(',').filter((each) => each !== '')
  const more = { ...(prefix !== undefined && { prefix }), ...(secret.length > 0 && { secret }) }
  return { queues, connection, ...more }
}

/** Where it is found. */
async function listen(server: DashboardServer, socket: string | undefined, port: number): Promise<string> {
  if (socket === undefined) return `http://127.0.0.1:${await server.listen({ port })}`
  checkOption(
    socket !== '' && (await isFree(socket)),
    'socket',
    'the path of a socket that is not in use',
    socket,
  )
  await server.listen({ path: socket })
  process.stderr.write(
    `It listens on the socket ${socket}: reach it with ssh -L, or with curl --unix-socket.\n`,
  )
  return 'http://localhost'
}

/** What a dashboard has left behind that was killed is removed; anything else stays. */
async function isFree(path: string): Promise<boolean> {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return true
  if (!stats.isSocket()) return false
  const isUsed = await new Promise<boolean>((resolve) => {
    const probe = connect(path, () => (probe.destroy(), resolve(true)))
    probe.on('error', () => resolve(false))
  })
  if (!isUsed) rmSync(path)
  return !isUsed
}

/** One that stays, for scrapers. In the environment alone: ps shows arguments. */
function givenToken(): string | undefined {
  const { THREADWISE_DASHBOARD_TOKEN: token } = process.env
  const isStrong = token === undefined || /^[\w-]{32,200}$/.test(token)
  checkOption(
    isStrong,
    'THREADWISE_DASHBOARD_TOKEN',
    '32 to 200 letters, digits, - and _',
    token && '(hidden)',
  )
  return token
}

function untilSignal(): Promise<void> {
  const asked = createAsked()
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
      process.on(signal, () => {
        if (asked(signal) === 'again') process.exit(130)
        resolve()
      })
  })
}

// The primary of a cluster that is measured: a process of its own, so that it is under the CPU limit together with its instances.

import cluster, { type Address } from 'node:cluster'
import { resolveServeOptions } from '../contract/resolve-options.js'
import { Service } from './service.js'
import { isError } from '../../primitives/any-realm.js'
import { removeModuleGlobals } from '../../primitives/eval-globals.js'

const START_MS = 30_000

removeModuleGlobals()
const [file = '', instances = '1', ...args] = process.argv.slice(2)
let place: Address | undefined
cluster.on('listening', (_worker, address) => (place ??= address))

const settings = { instances: Number(instances), args, execArgv: [], readyTimeout: START_MS }
const service = new Service({ ...resolveServeOptions(file, settings), hasGroups: false })

const end = async () => {
  service.kill()
  await service.stop() // its instances are waited for, so that their CPU time counts as ours
  process.exit(0)
}
process.on('message', () => void end())
process.on('disconnect', () => void end())

service.start().then(
  () => {
    const { address = null, port = -1 } = place ?? {}
    process.send!({ threadwise: 'listens', address, port })
  },
  (error: Error) => {
    const reason = isError(error.cause) ? error.cause.message : error.message
    process.send!({ threadwise: 'failed', reason }, () => process.exit(1))
  },
)

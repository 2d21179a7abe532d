// serve(): runs an unchanged HTTP server in several processes.

import cluster from 'node:cluster'
import { ThreadwiseError } from '../../errors/errors.js'
import { checkOwnProgram } from '../../primitives/task-modules.js'
import type { ServeOptions } from '../contract/options.js'
import { resolveServeOptions } from '../contract/resolve-options.js'
import { Service as StartedService } from './service.js'

/**
 * A server that runs in several instances, as {@link serve} gives it.
 *
 * @interface
 */
export type Service = Omit<StartedService, 'start'>

/**
 * Runs a file that starts an HTTP server in several processes that share its port: as many as the CPUs that this process really
 * has, unless told otherwise. Instances that end are replaced; `reload()` replaces all of them without a lost request.
 * Resolves when all instances are ready: when they listen, or as `waitReady` and `health` say.
 *
 * @throws TW_ERR_INVALID_OPTION (as a rejection)
 * @throws TW_ERR_INVALID_CALL (as a rejection) inside an instance
 * @throws TW_ERR_INSTANCE_FAILED (as a rejection) when one does not become ready; then none is left running.
 * @example
 * const service = await serve('server.js', { instances: 'max', health: '/health' })
 * process.on('SIGHUP', () => void service.reload().catch(console.error))
 * process.on('SIGTERM', () => void service.stop())
 */
export async function serve(file: string | URL, options: ServeOptions = {}): Promise<Service> {
  if (cluster.isWorker) {
    const details = {
      call: 'serve()',
      expected: 'a process that is not itself an instance',
      received: 'an instance',
    }
    throw new ThreadwiseError('TW_ERR_INVALID_CALL', details)
  }
  checkOwnProgram('serve()')
  const service = new StartedService(resolveServeOptions(file, options))
  await service.start()
  return service
}

// What the types of threadwise/cluster promise. Compiled by types.test.js, never run.

import {
  defineConfig,
  serve,
  serviceMetrics,
  type InstanceLoad,
  type InstanceState,
  type AppConfig,
  type ServeConfig,
  type ServeEvent,
  type ServeOptions,
  type Service,
  type ServiceStatus,
} from 'threadwise/cluster'
import { same } from './same.js'

export async function services(): Promise<void> {
  const options: ServeOptions = {
    instances: 'max',
    health: '/health',
    grace: 5000,
    maxMemory: '300m',
    maxRequests: 9,
    hangTimeout: 5000,
    args: ['a'],
    sticky: 'cookie=connect.sid',
  }
  await using service = await serve(new URL('file:///server.js'), options)
  same<typeof service, Service>(true)
  same<ReturnType<typeof service.status>, ServiceStatus>(true)
  same<ServiceStatus['instances'][number]['state'], InstanceState>(true)
  same<ReturnType<typeof service.inspect>, Promise<ServiceStatus>>(true)
  same<ServiceStatus['instances'][number]['load'], InstanceLoad | null>(true)
  same<ReturnType<typeof serviceMetrics>, string>(true)
  await service.reload()
  await service.scale(2)
  service.kill()
  await service.ended
  await serve('server.js', {
    onEvent(event) {
      same<typeof event, ServeEvent>(true)
      if (event.type === 'gone') same<typeof event.how, string>(true)
    },
  })
  await serve('server.js', { sticky: 'address' })
  // @ts-expect-error -- a cookie has a name
  await serve('server.js', { sticky: 'cookie' })
  // @ts-expect-error -- a number, or max
  await serve('server.js', { instances: 'all' })
  // @ts-expect-error -- options are a closed list: a typing mistake is found
  await serve('server.js', { instance: 2 })
}

export function configurations(): void {
  const app: AppConfig = { file: 'web.js', name: 'web', instances: 2, logSize: '1m', logFiles: 3 }
  const config = defineConfig({ apps: [app, { file: 'api.js', envProfiles: { production: { A: '1' } } }] })
  same<typeof config, ServeConfig>(true)
  // An app has a file, or a command; which of them, is checked when it is read.
  defineConfig({ apps: [{ name: 'web' }] })
  // @ts-expect-error -- a typing mistake is found
  defineConfig({ apps: [{ file: 'web.js', instance: 2 }] })
  // @ts-expect-error -- a listener cannot travel to another process
  defineConfig({ apps: [{ file: 'web.js', onEvent() {} }] })
}

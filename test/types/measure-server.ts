// What the types of measureServer() promise. Compiled by types.test.js, never run.

import {
  measureServer,
  type MeasureServerOptions,
  type ServerAdvice,
  type ServerCell,
  type ServerProgress,
  type ServerResult,
} from 'threadwise/measure'
import { same } from './same.js'

export async function servers(): Promise<void> {
  const onProgress = ({ phase, best }: ServerProgress): void => console.log(phase, best?.name)
  const options: MeasureServerOptions = {
    path: '/',
    offloadPath: '/b',
    cpus: [0.6, 2],
    instances: [1],
    onProgress,
  }
  const result = await measureServer(new URL('file:///server.js'), options)
  same<typeof result, ServerResult>(true)
  same<ServerAdvice['way'], 'single' | 'cluster'>(true)
  same<ServerCell['latencyRatio'], ServerCell['ratio'] | null>(true)
  // @ts-expect-error -- options are a closed list: a typing mistake is found
  await measureServer('server.js', { cpu: [1] })
  // @ts-expect-error -- limits are numbers
  await measureServer('server.js', { cpus: ['0.6'] })
}

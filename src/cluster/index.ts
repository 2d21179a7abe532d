// 'threadwise/cluster': a server on every CPU.

export { serve } from './serve.js'
export type { Service } from './service.js'
export type { ServeOptions } from './options.js'
export type { InstanceStatus, ServeEvent, ServiceState, ServiceStatus } from './events.js'
export type { InstanceState } from './instance.js'

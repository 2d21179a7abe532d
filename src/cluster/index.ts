// 'threadwise/cluster': a server on every CPU.

export { serve, type Service } from './serve.js'
export type { ServeOptions } from './options.js'
export type { InstanceStatus, ServeEvent, ServiceState, ServiceStatus } from './events.js'
export type { InstanceState } from './instance.js'

// 'threadwise/cluster': a server on every CPU.

export { serve, type Service } from './serve.js'
export type { ServeOptions } from './options.js'
export { serviceMetrics } from './service-metrics.js'
export type {
  InstanceLoad,
  InstanceStatus,
  RenewLimit,
  ServeEvent,
  ServiceState,
  ServiceStatus,
} from './events.js'
export { defineConfig, type AppConfig, type ServeConfig } from '../apps/config.js'
export type { InstanceState } from './instance.js'

// 'threadwise/cluster': what users import; the comment below opens its page of the reference.

/**
 * A server on every CPU: what `threadwise serve` does, for programs.
 *
 * @module threadwise/cluster
 */

export { serve, type Service } from './serve/service/serve.js'
export type { ServeOptions } from './serve/contract/options.js'
export { serviceMetrics } from './serve/control/service-metrics.js'
export type {
  InstanceLoad,
  InstanceStatus,
  RenewLimit,
  ServeEvent,
  ServiceState,
  ServiceStatus,
} from './serve/contract/events.js'
export { defineConfig, type AppConfig, type ServeConfig } from './serve/apps/config.js'
export type { InstanceState } from './serve/contract/events.js'

// The options of `threadwise queue`.

export interface QueueFlags {
  readonly connection: string
  readonly prefix?: string
  readonly secret?: readonly string[]
  readonly json?: boolean
  readonly yes?: boolean
  readonly all?: boolean
}

// The channels of node:diagnostics_channel on which pools tell what happens. docs/observing.md says what each message holds.

interface Channel {
  readonly hasSubscribers: boolean
  publish(message: object): void
}

const silent: Channel = { hasSubscribers: false, publish() {} }

// Asked for at run time, and not imported: where this is no Node, nobody can subscribe.
const diagnostics = process.getBuiltinModule?.('node:diagnostics_channel')
const open = (name: string): Channel => diagnostics?.channel(`threadwise:${name}`) ?? silent

export const channels = {
  accepted: open('call:accepted'),
  settled: open('call:settled'),
  up: open('worker:up'),
  exited: open('worker:exited'),
  full: open('queue:full'),
} as const

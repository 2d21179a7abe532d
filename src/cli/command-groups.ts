// The order of commands in `threadwise --help`: where to start, then by what a user wants to do.

import type { Command } from 'commander'

const GROUPS = {
  'Start here:': ['doctor', 'measure', 'compare', 'plan'],
  'Find out:': ['load', 'cpus', 'check', 'lab'],
  'Run a server on every CPU:': [
    'serve',
    'deploy',
    'list',
    'status',
    'monit',
    'logs',
    'reload',
    'scale',
    'start',
    'stop',
    'restart',
    'delete',
  ],
  'Run a queue:': ['worker', 'queue'],
  'Watch pools:': ['pools', 'resize'],
  'See all of it:': ['dashboard'],
}

/** Headings come in the order of the commands. One that is in no group stands last. */
export function groupCommands(program: Command): void {
  const order = Object.values(GROUPS).flat()
  const place = (command: Command) =>
    order.includes(command.name()) ? order.indexOf(command.name()) : Infinity
  const commands = program.commands as Command[]
  commands.sort((a, b) => place(a) - place(b) || 0) // Infinity - Infinity is no number
  for (const [heading, names] of Object.entries(GROUPS))
    for (const command of commands) if (names.includes(command.name())) command.helpGroup(heading)
}

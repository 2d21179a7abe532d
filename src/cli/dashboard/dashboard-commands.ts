// `threadwise dashboard`: its options.

import type { Command } from 'commander'
import { DEFAULT_CONNECTION } from '../terminal/connection.js'
import { parseNumber } from '../terminal/parse-values.js'
import { runDashboard, type DashboardFlags } from './run-dashboard.js'

export function addDashboardCommand(program: Command): void {
  program
    .command('dashboard')
    .description('show all services, pools and queues of this user in a live page, and change them there')
    .option('--port <n>', 'the port of loopback (default: any that is free)', parseNumber)
    .option('--socket <path>', 'listen on a Unix socket in place of a port')
    .option('--read-only', 'only show: nothing can be changed')
    .option('--queue <name>', 'a queue of workers to show; may be repeated', collect)
    .option(
      '--connection <url>',
      `the store of the queues (default: THREADWISE_CONNECTION, or ${DEFAULT_CONNECTION})`,
    )
    .option(
      '--prefix <text>',
      'what the names of all keys of the queues begin with (default: that of BullMQ)',
    )
    .addHelpText(
      'after',
      `
Examples:
  threadwise dashboard
  threadwise dashboard --port 9090 --read-only
  threadwise dashboard --queue images --queue mails
  ssh -L 9090:127.0.0.1:9090 host threadwise dashboard --port 9090

It prints its address, which holds a token. The variable THREADWISE_DASHBOARD_TOKEN sets one that stays. Below the address /metrics
is for Prometheus, and /events gives server-sent events. While no page is open, nothing is looked at.
Exit codes: 0 ended by Ctrl-C, 1 it could not listen, 2 wrong usage.`,
    )
    .action(async (flags: DashboardFlags) => {
      process.exitCode = await runDashboard(flags)
    })
}

function collect(name: string, earlier: string[] = []): string[] {
  return [...earlier, name]
}

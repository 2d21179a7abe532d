// `threadwise load`: its options.

import type { Command } from 'commander'
import { parseHeader, parseNumber, parseOutput } from './parse-values.js'
import { runLoad, type LoadFlags } from './run-load.js'

export function addLoadCommand(program: Command): void {
  program
    .command('load')
    .argument('<url>', 'where the requests go: http:// or https://')
    .description('send requests to an HTTP server, and count their latency from when they were due')
    .option(
      '--rate <n>',
      'requests per second that are due, whatever the server does (default: as many as it answers)',
      parseNumber,
    )
    .option('--poisson', 'with --rate: due at random, independent times')
    .option('--connections <n>', 'at most this many (default: 10, or 100 with --rate)', parseNumber)
    .option('--pipelining <n>', 'without --rate: requests ahead on each connection (default: 1)', parseNumber)
    .option('--duration <seconds>', 'measured time (default: 10)', parseNumber)
    .option('--warmup <seconds>', 'load before that, which does not count (default: 1)', parseNumber)
    .option('--timeout <seconds>', 'after which a request is given up (default: 10)', parseNumber)
    .option('--method <name>', 'HTTP method (default: GET, or POST with a body)')
    .option('--header <line>', "'Name: value'; may be repeated", parseHeader)
    .option('--body <text>', 'text to send, or @FILE')
    .option('--socket <path>', 'connect to this Unix socket')
    .option('--insecure', 'accept any certificate, also a self-signed or forged one')
    .option('--json <file>', 'write the result as JSON; - is standard output', parseOutput)
    .addHelpText(
      'after',
      `
Examples:
  threadwise load http://localhost:3000/
  threadwise load http://localhost:3000/ --rate 200 --poisson --duration 30
  threadwise load http://localhost:3000/posts --body @post.json --header 'Content-Type: application/json'
  threadwise load http://localhost/ --socket /run/app.sock --json -

Exit codes: 0 done, 1 no request succeeded, 2 wrong usage, 3 the generator was the bottleneck, 130 interrupted.`,
    )
    .action(async (url: string, flags: LoadFlags) => {
      process.exitCode = await runLoad(url, flags)
    })
}

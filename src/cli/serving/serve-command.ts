// `threadwise serve`, and the commands that speak to a service that runs: their options.

import { InvalidArgumentError, type Command } from 'commander'
import { parseNumber } from '../terminal/parse-values.js'
import { runList, runReload, runScale, runStatus, runStop, type StatusFlags } from './run-control.js'
import { runLogs, type LogsFlags } from './run-logs.js'
import { runMonit, type MonitFlags } from './run-monit.js'
import { runServe, type ServeFlags } from './run-serve.js'

export function addServeCommands(program: Command): void {
  addServe(program)
  program
    .command('list')
    .description('list the running services of this user')
    .action(() => finish(runList()))
  program
    .command('status')
    .argument('[name]', 'name of the service (default: all)')
    .description('show the instances of a service, and their load')
    .option('--json', 'print JSON')
    .option('--prometheus', 'print metrics as text for Prometheus')
    .action((name: string | undefined, flags: StatusFlags) => finish(runStatus(name, flags)))
  program
    .command('monit')
    .argument('<name>', 'name of the service')
    .description('watch the load of a service; q or Ctrl-C ends it')
    .option('--interval <ms>', 'time between two looks (default: 1000)', parseNumber)
    .action((name: string, flags: MonitFlags) => finish(runMonit(name, flags)))
  addLogs(program)
  program
    .command('reload')
    .argument('<name>', 'name of the service')
    .description('replace all instances of a service, without a lost request')
    .action((name: string) => finish(runReload(name)))
  program
    .command('scale')
    .argument('<name>', 'name of the service')
    .argument('<instances>', 'the new number', parseNumber)
    .description('change the number of instances of a service')
    .action((name: string, instances: number) => finish(runScale(name, instances)))
  program
    .command('stop')
    .argument('<name>', 'name of the service')
    .description('let the requests of a service end, then stop it')
    .action((name: string) => finish(runStop(name)))
}

function addServe(program: Command): void {
  const serve = program
    .command('serve')
    .argument('[file]', 'what starts the HTTP server, unchanged (default: the apps of threadwise.config.js)')
    .argument('[args...]', 'after --, for the file')
    .description('run an HTTP server on every CPU, and reload it without a lost request')
    .option(
      '-i, --instances <n>',
      'number of processes, max (the CPU budget rounded down), or auto (what "measure --server --save" found) (default: max)',
      parseInstances,
    )
    .option('--name <name>', 'name for list, status, reload, scale and stop (default: that of the file)')
    .option(
      '--grace <ms>',
      'time for requests before SIGTERM, and again before SIGKILL (default: 10000)',
      parseNumber,
    )
    .option('--ready-timeout <ms>', 'time for an instance to become ready (default: 30000)', parseNumber)
    .option('--wait-ready', "an instance is ready only after process.send('ready')")
    .option('--health <path>', 'an instance is ready only when a GET of this path is answered with 2xx')
    .option(
      '--health-interval <ms>',
      'time between two checks of it from then on (default: 10000)',
      parseNumber,
    )
    .option(
      '--health-threshold <n>',
      'replace an instance that fails so many in a row (default: 3)',
      parseNumber,
    )
  addLimits(serve)
  addSpread(serve)
  addBackground(serve)
  addConfig(serve)
  addUpkeep(serve)
  addHelp(serve)
  serve.action((file: string | undefined, args: string[], flags: ServeFlags) =>
    finish(runServe(file, args, flags)),
  )
}

function addHelp(serve: Command): void {
  serve.addHelpText(
    'after',
    `
Examples:
  threadwise serve server.js
  threadwise serve server.js -i 4 --health /health -- --port 8080
  threadwise serve server.js -i auto
  threadwise serve server.js --daemon --name web
  threadwise serve --config deploy/threadwise.config.js --env production --daemon
  threadwise serve server.js -i 1 --watch
  threadwise serve server.js --cron '0 4 * * *' --systemd > web.service
  threadwise reload server

Signals: SIGTERM and SIGINT let requests end and stop it, a second one stops at once; SIGHUP and SIGUSR2 reload.
Exit codes: 0 stopped, 1 it could not start or gave up, 2 wrong usage, 130 stopped at once.`,
  )
}

/** Of `serve`: what runs without a terminal. */
function addBackground(serve: Command): void {
  serve
    .option(
      '--daemon',
      'run in the background, with a log; the command returns when the service serves, or says why not',
    )
    .option('--log-size <size>', 'with --daemon: size at which the next log file begins (default: 10m)')
    .option('--log-files <n>', 'with --daemon: how many log files are kept (default: 5)', parseNumber)
}

/** Of `serve`: when it reloads by itself, and a unit instead of a service. */
function addUpkeep(serve: Command): void {
  serve
    .option('--watch', 'for development: reload when source files in the folder of the file change')
    .option('--cron <times>', "reload at these times, such as '0 4 * * *': every day at 4")
    .option('--systemd', 'print a unit of systemd for this command, and start nothing')
}

/** Of `serve` without a file. */
function addConfig(serve: Command): void {
  serve
    .option(
      '--config <file>',
      'the configuration with the apps (default: threadwise.config.js, .mjs, .ts or .json here)',
    )
    .option('--env <name>', 'the profile of envProfiles that apps of the configuration get')
    .option('--only <name>', 'serve this app of the configuration alone')
}

function addLogs(program: Command): void {
  program
    .command('logs')
    .argument('<name>', 'name of the service')
    .description('show the log of a service in the background')
    .option('--lines <n>', 'how many of the last lines (default: 20)', parseNumber)
    .option('-f, --follow', 'go on with new lines, until Ctrl-C')
    .option('--raw', 'lines as they were written, without time and instance')
    .addHelpText(
      'after',
      `
Examples:
  threadwise logs web --lines 100
  threadwise logs web -f --raw | jq .msg`,
    )
    .action((name: string, flags: LogsFlags) => finish(runLogs(name, flags)))
}

/** At which an instance is replaced although it runs. */
function addLimits(serve: Command): void {
  serve
    .option('--hang-timeout <ms>', 'replace an instance whose event loop is blocked for so long', parseNumber)
    .option('--max-memory <size>', 'replace an instance that holds more memory, such as 300m or 1g')
    .option(
      '--max-requests <n>',
      'replace an instance after so many requests, up to a tenth more',
      parseNumber,
    )
}

/** How many there are by rule, and which of them gets a connection. */
function addSpread(serve: Command): void {
  serve
    .option(
      '--min <n>',
      'let the number of instances follow the load: at least so many (default: 1)',
      parseNumber,
    )
    .option(
      '--max <n>',
      'let the number of instances follow the load: at most so many, or max',
      parseInstances,
    )
    .option(
      '--scale-up <share>',
      'one more when they are busy for this share of the time (default: 0.8)',
      parseNumber,
    )
    .option(
      '--scale-down <share>',
      'one less when they are busy for this share or less (default: 0.3)',
      parseNumber,
    )
    .option('--scale-queue <n>', 'one more also when each has more open requests than this', parseNumber)
    .option('--scale-interval <ms>', 'time between two looks at the load (default: 5000)', parseNumber)
    .option(
      '--sticky <by>',
      'address, or cookie=NAME (experimental): connections of one client go to the same instance',
    )
    .option('--reuse-port', 'the kernel chooses the instance of a connection (Node 22.12 or later)')
}

async function finish(run: Promise<number>): Promise<void> {
  process.exitCode = await run
}

function parseInstances(text: string): number | 'max' | 'auto' {
  if (text === 'max' || text === 'auto') return text
  const count = Number(text)
  if (!Number.isInteger(count) || count < 1)
    throw new InvalidArgumentError('It must be a whole number, or max, or auto.')
  return count
}

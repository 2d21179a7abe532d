// `threadwise serve`, and the commands that speak to a service that runs: their options.

import { InvalidArgumentError, Option, type Command } from 'commander'
import { SERVE_OPTIONS, type ServeOption } from '../../serve/contract/option-table.js'
import { parseNumber, parseNumbers } from '../terminal/parse-values.js'
import { runList, runScale, runStatus, type StatusFlags } from './run-control.js'
import type { StartFlags } from './change-service.js'
import { runDeploy, type DeployFlags } from './run-deploy.js'
import { runDelete, runReload, runRestart, runStart, runStop, type ReloadFlags } from './run-lifecycle.js'
import { runLogs, type LogsFlags } from './run-logs.js'
import { runMonit, type MonitFlags } from './run-monit.js'
import { runServe, type ServeFlags } from './run-serve.js'

export function addServeCommands(program: Command): void {
  addServe(program)
  addViews(program)
  addLogs(program)
  addChanges(program)
  addDeploy(program)
}

/** What runs, and how much there is to do. */
function addViews(program: Command): void {
  program
    .command('list')
    .description('list the services of this user, also those in the background that have ended')
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
    .argument('[name]', 'name of the service (default: the only one)')
    .description('watch the load of a service; q or Ctrl-C ends it')
    .option('--interval <ms>', 'time between two looks (default: 1000)', parseNumber)
    .action((name: string | undefined, flags: MonitFlags) => finish(runMonit(name, flags)))
}

/** Of what runs, or did. */
function addChanges(program: Command): void {
  const reload = program
    .command('reload')
    .argument('[name]', 'name of the service, or all')
    .description('replace all instances of a service, without a lost request')
    .option(
      '--config <file>',
      'with the options that this configuration has now; what differs is shown first',
    )
    .option('--env <name>', 'of the configuration: the profile of envProfiles')
    .option('--only <name>', 'of the configuration: this app alone')
    .option('--dry-run', 'of the configuration: only show what differs')
    .action((name: string | undefined, flags: ReloadFlags) => finish(runReload(name, flags)))
  addUpdateEnv(reload)
  program
    .command('scale')
    .argument('<name>', 'name of the service')
    .argument('<instances>', 'the new number', parseNumber)
    .description('change the number of instances of a service')
    .action((name: string, instances: number) => finish(runScale(name, instances)))
  const verb = (
    word: string,
    description: string,
    run: (name: string, flags: StartFlags) => Promise<number>,
  ) =>
    program
      .command(word)
      .argument('<name>', 'name of the service, or all')
      .description(description)
      .action((name: string, flags: StartFlags) => finish(run(name, flags)))
  verb('stop', 'let the requests of a service end, then stop it', runStop)
  for (const again of [
    verb('start', 'start a service again that ran in the background, as it was started', runStart),
    verb('restart', 'let a service in the background end and start again, as it was started', runRestart),
  ])
    addUpdateEnv(again)
  verb('delete', 'stop a service, and take it from the list', runDelete)
}

function addUpdateEnv(command: Command): Command {
  return command.option('--update-env', 'with the variables of this shell, not with those of its start')
}

/** From a configuration to what runs. */
function addDeploy(program: Command): void {
  const deploy = program
    .command('deploy')
    .alias('startOrReload') // as PM2 calls it
    .argument('[file]', 'the configuration (default: threadwise.config.js, .mjs, .ts or .json here)')
    .description(
      'make what runs in the background as a configuration says: start what is missing, reload what runs, change what has changed',
    )
    .option('--env <name>', 'the profile of envProfiles (default: for each app the one that it has)')
    .option('--only <name>', 'this app alone')
    .option('--prune', 'stop what has left the file')
    .addHelpText(
      'after',
      `
Examples:
  threadwise deploy ecosystem.config.cjs --env production
  threadwise deploy --prune

Exit codes: 0 all apps of the file serve, 1 one does not, 2 wrong usage.`,
    )
    .action((file: string | undefined, flags: DeployFlags) => finish(runDeploy(file, flags)))
  addUpdateEnv(deploy)
}

function addServe(program: Command): void {
  const serve = program
    .command('serve')
    .argument('[file]', 'what starts the HTTP server, unchanged (default: the apps of threadwise.config.js)')
    .argument('[args...]', 'after --, for the file')
    .description(
      'run an HTTP server on every CPU, and reload it without a lost request; or a worker, or any command (serve -- npm start)',
    )
  addOptions(serve)
  addBackground(serve)
  addConfig(serve)
  addUpkeep(serve)
  addHelp(serve)
  serve.action((file: string | undefined, args: string[], flags: ServeFlags) => {
    const command = commandWords(process.argv, file, args)
    return finish(command ? runServe(command, [], flags) : runServe(file, args, flags))
  })
}

const READ = {
  number: parseNumber,
  numbers: parseNumbers,
  instances: parseInstances,
  'number or none': (text: string) => (text === 'none' ? text : parseNumber(text)),
}

/** Those of serve(). */
function addOptions(serve: Command): void {
  for (const option of Object.values<ServeOption>(SERVE_OPTIONS)) {
    if (!option.flag) continue
    const { words, takes, group } = option.flag
    const added = new Option(words, helpOf(option)).helpGroup(group)
    serve.addOption(takes ? added.argParser<unknown>(READ[takes]) : added)
  }
}

function helpOf({ flag, default: value = false, otherwise }: ServeOption): string {
  const said = otherwise ?? (value === false ? undefined : String(value))
  return said === undefined ? flag!.says : `${flag!.says} (default: ${said})`
}

/** `serve -- npm start`: all words come after the dashes. With a file, only its arguments do. */
function commandWords(argv: readonly string[], file: string | undefined, args: string[]): string[] | null {
  const dashes = argv.indexOf('--')
  if (dashes < 0 || file === undefined) return null
  return argv.length - dashes - 1 === args.length + 1 ? [file, ...args] : null
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
  threadwise serve worker.js --portless
  threadwise serve --name site -- npm start
  threadwise serve --restart never --cron '*/5 * * * *' -- python3 report.py
  threadwise serve server.js --cron '0 4 * * *' --systemd > web.service
  threadwise reload server

Signals: SIGTERM and SIGINT let requests end and stop it, a second one stops at once; SIGHUP and SIGUSR2 reload.
Exit codes: 0 stopped, 1 it could not start or gave up, 2 wrong usage, 130 stopped at once.`,
  )
}

/** Of `serve`: what runs without a terminal. */
function addBackground(serve: Command): void {
  serve
    .optionsGroup('In the background:')
    .option(
      '--daemon',
      'run in the background, with a log; the command returns when the service serves, or says why not',
    )
    .option('--log-file <path>', 'with --daemon: its log (default: NAME.log in the folder of all logs)')
    .option('--log-size <size>', 'with --daemon: size at which the next log file begins (default: 10m)')
    .option('--log-files <n>', 'with --daemon: how many log files are kept (default: 5)', parseNumber)
}

/** Of `serve`: when it reloads by itself, and a unit instead of a service. */
function addUpkeep(serve: Command): void {
  serve
    .optionsGroup('Reloads by itself:')
    .option('--watch', 'for development: reload when source files in the folder of the file change')
    .option(
      '--ignore-watch <list>',
      'with --watch: files and folders that do not count, such as data,public/*.json',
      (text) => text.split(','),
    )
    .option(
      '--on-event <command>',
      'tell this command of a crash, a hang, a give-up and a recovery, as JSON on its input',
    )
    .option(
      '--cron <times>',
      "reload at these times, such as '0 4 * * *': every day at 4; a job that ends (--restart never) runs at them",
    )
    .option('--systemd', 'print a unit of systemd for this command, and start nothing')
}

/** Of `serve` without a file. */
function addConfig(serve: Command): void {
  serve
    .optionsGroup('From a configuration:')
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
    .argument('[name]', 'name of the service (default: all)')
    .description('show the log of a service in the background, or of all')
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
    .action((name: string | undefined, flags: LogsFlags) => finish(runLogs(name, flags)))
}

async function finish(run: Promise<number>): Promise<void> {
  process.exitCode = await run
}

function parseInstances(text: string): number | 'max' | 'auto' {
  if (text === 'max' || text === 'auto') return text
  const count = Number(text)
  if (!Number.isInteger(count) || count < 1)
    throw new InvalidArgumentError('It must be a whole number of at least 1, or max, or auto.')
  return count
}

#!/usr/bin/env node
// The command line starts here. Each room declares its commands in ROOM-commands.ts, such as measuring/measuring-commands.ts; run-*.ts do them.

import { Command } from 'commander'
import { readFileSync } from 'node:fs'
import { isThreadwiseError } from '../errors/errors.js'
import { groupCommands } from './command-groups.js'
import { addFirstExamples } from './first-examples.js'
import { plainLines } from './terminal/plain.js'
import { addServeCommands } from './serving/serving-commands.js'

const program = new Command('threadwise')
  .description(
    'Find out whether threads, processes or neither help your Node.js code under the CPU limit that you deploy to.',
  )
  .version(version())
  .showHelpAfterError('(add --help for the options)')
  .configureHelp({ showGlobalOptions: true })
  .exitOverride()
  .addHelpText(
    'after',
    `
Examples:
  threadwise doctor server.js --path /report --try  which functions keep the event loop busy, the patch that moves them to threads, and what it gains
  threadwise measure tasks.js --task render --args '[{"me":"Ada"}]' --quick
  threadwise compare tasks.js --task render --against main
  threadwise plan server.js --rate 600 --p99 50     how many containers of which size that needs, and whether threads help
  threadwise load http://localhost:3000/ --rate 200
  threadwise serve server.js
  threadwise check dist

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 the machine (or the load generator) was too busy for a verdict, 130 interrupted.
NO_COLOR and FORCE_COLOR are honoured; without a terminal, progress is plain lines on standard error.`,
  )

/** Options of Node, by the permission that is missing. */
const PERMISSIONS: Readonly<Record<string, string>> = {
  ChildProcess: '--allow-child-process',
  FileSystemRead: '--allow-fs-read',
  FileSystemWrite: '--allow-fs-write',
  WorkerThreads: '--allow-worker',
}

// A reader that has seen enough (| head) closes the pipe: that is no failure. A full disk is one, whatever the command has done.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE')
    console.error(plainLines(`threadwise: standard output cannot be written: ${error.message}`))
  process.exit(error.code === 'EPIPE' ? 0 : 1)
})
// Nor is it one when nobody follows the progress any more.
process.stderr.on('error', () => {})

try {
  if (process.argv[2] !== 'serve')
    (await import('./measuring/measuring-commands.js')).addMeasuringCommands(program)
  addServeCommands(program)
  if (process.argv[2] !== 'serve') (await import('./queueing/queueing-commands.js')).addQueueCommands(program)
  if (process.argv[2] !== 'serve') (await import('./checking/checking-commands.js')).addCheckCommand(program)
  if (process.argv[2] !== 'serve') (await import('./pools/pools-commands.js')).addPoolCommands(program)
  if (process.argv[2] !== 'serve')
    (await import('./dashboard/dashboard-commands.js')).addDashboardCommand(program)
  groupCommands(program)
  addFirstExamples(program)
  await program.parseAsync()
} catch (error) {
  process.exitCode = exitCodeOf(error)
}
// An experiment that was interrupted may still remove its files; another process does so too.
if (process.argv[2] === 'lab') setTimeout(() => process.exit(), 200).unref()

function exitCodeOf(error: unknown): number {
  const { code, exitCode, syscall } = error as { code?: string; exitCode?: number; syscall?: string }
  if (code?.startsWith('commander.')) return exitCode === 0 ? 0 : 2
  if (isThreadwiseError(error)) {
    console.error(plainLines(`threadwise: ${error.message} [${error.code}]`))
    return error.code === 'TW_ERR_INVALID_OPTION' ? 2 : 1
  }
  if (code === 'ERR_ACCESS_DENIED') {
    console.error(plainLines(`threadwise: ${whyDenied(error as object)}`))
    return 1
  }
  // A file that cannot be written: the message names it, and a stack would not help.
  console.error(syscall === undefined ? error : plainLines(`threadwise: ${(error as Error).message}`))
  return 1
}

/** What its message says depends on the version of Node. */
function whyDenied({ permission = '', resource = '' }: { permission?: string; resource?: string }): string {
  const option = PERMISSIONS[permission]
  const what = resource === '' ? permission : `${permission} of ${resource}`
  return `The permission model of Node forbids ${what}${option === undefined ? '' : `: start it with ${option}`}.`
}

/** Of this package. */
function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}

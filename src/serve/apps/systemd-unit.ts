// The text of a systemd unit that serves the same as a command line.

import type { AppPlan } from './app-plan.js'
import { resolveServeOptions } from '../contract/resolve-options.js'
import { checkOption } from '../../errors/check-options.js'

export interface UnitCommand {
  /** The program and its arguments before the command, such as `node main.js`: absolute paths. */
  readonly program: readonly string[]
  /** What follows `serve`, with absolute paths. */
  readonly args: readonly string[]
  readonly folder: string
}

/** Milliseconds that a stop takes at most besides the grace. */
const STOP_MORE_MS = 5000

/** @throws TW_ERR_INVALID_OPTION for arguments and folders that cannot be written in a unit */
export function systemdUnit(plans: readonly AppPlan[], { program, args, folder }: UnitCommand): string {
  checkArgs([...program, ...args], folder)
  const names = plans.map(({ name }) => name)
  const name = names.length === 1 ? names[0]! : 'apps'
  const graces = plans.map(({ file, options }) => resolveServeOptions(file, options).graceMs)
  const stopSeconds = Math.ceil((Math.max(...graces) + STOP_MORE_MS) / 1000)
  const command = (...more: string[]) => [...program, ...more].map(quote).join(' ')
  return `# For the whole machine: save it as /etc/systemd/system/${name}.service, add User= below [Service], then
#   systemctl daemon-reload && systemctl enable --now ${name}
# For your user alone: save it as ~/.config/systemd/user/${name}.service, then
#   systemctl --user daemon-reload && systemctl --user enable --now ${name}
#   loginctl enable-linger      (it starts with the machine, not with your first login)
[Unit]
Description=${names.join(', ').replaceAll('%', '%%')}, served by threadwise
After=network.target
# Never give up: a database that is away for an hour must not end it for ever.
StartLimitIntervalSec=0

[Service]
# Started when all serve: serve says so by systemd-notify.
Type=notify
NotifyAccess=all
WorkingDirectory=${escapeSpecifiers(folder)}
ExecStart=${command('serve', ...args)}
${names.map((each) => `ExecReload=${command('reload', each)}`).join('\n')}
# A reload ends by itself, with the last instance.
TimeoutStartSec=infinity
# SIGTERM goes to serve alone: it lets the requests of its instances end.
KillMode=mixed
TimeoutStopSec=${stopSeconds}
Restart=on-failure
RestartSec=1

[Install]
# For your user alone: default.target
WantedBy=multi-user.target
`
}

function checkArgs(args: readonly string[], folder: string): void {
  // eslint-disable-next-line no-control-regex -- these are what is refused
  const odd = /[\u0000-\u0009\u000b-\u001f\u007f]/
  for (const arg of args)
    checkOption(!odd.test(arg), '--systemd', 'arguments without control characters', arg)
  // systemd takes the value of WorkingDirectory as it is: a line that ends in a backslash goes on, and spaces at its ends are dropped.
  const isPlain = !odd.test(folder) && !/\n|^\s|[\s\\]$/.test(folder)
  const expected =
    'used in a folder whose path has no control characters, and no backslash or space at its end'
  checkOption(isPlain, '--systemd', expected, folder)
}

/** An argument of a command: systemd would replace % and $, and reads other signs as syntax. */
function quote(arg: string): string {
  const safe = escapeSpecifiers(arg).replaceAll('$', '$$$$')
  if (/^[\w@%+=:,./$-]+$/.test(safe)) return safe
  return `"${safe.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`
}

function escapeSpecifiers(text: string): string {
  return text.replaceAll('%', '%%')
}

// Limits a child through the user's systemd, which puts it into a scope (a cgroup v2) with a quota; needs no root.

import { execFile, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ThreadwiseError } from '../../errors/errors.js'
import { cleanUpAtExit } from './exit-cleanup.js'
import { findExecutable } from './find-executable.js'
import { periodUs, type LimitMethod, type LimitRequest, type OpenedLimit } from './limit-method.js'

const userScope = ['--user', '--scope', '--quiet', '--collect']
const probeTimeoutMs = 5000

let opened = 0

export const systemdRun: LimitMethod = {
  name: 'systemd-run',
  open(request) {
    const { PATH } = request.env
    const run = findExecutable('systemd-run', PATH)
    if (!run) return { refused: 'systemd-run is not installed' }
    const refused = refusalOfBus(request) ?? refusalOfDelegation(request) ?? refusalOfProbe(run, request)
    return refused ? { refused } : scopeLimit(request, run)
  },
}

function refusalOfBus({ env, tree }: LimitRequest): string | null {
  const bus = env.XDG_RUNTIME_DIR && join(env.XDG_RUNTIME_DIR, 'bus')
  return env.DBUS_SESSION_BUS_ADDRESS || (bus && existsSync(tree.real(bus))) ? null : 'there is no user bus'
}

/** Without the cpu controller systemd takes CPUQuota= and silently does nothing (Delegate= of user@.service). */
function refusalOfDelegation({ tree }: LimitRequest): string | null {
  const uid = process.getuid?.() ?? 0
  const service = `/sys/fs/cgroup/user.slice/user-${uid}.slice/user@${uid}.service`
  const controllers = tree.read(`${service}/cgroup.controllers`)?.trim().split(' ') ?? []
  return controllers.includes('cpu') ? null : `systemd does not delegate the cpu controller to user ${uid}`
}

function refusalOfProbe(run: string, { env }: LimitRequest): string | null {
  const args = [...userScope, '--', process.execPath, '--version']
  const { status, stderr, error } = spawnSync(run, args, { env, encoding: 'utf8', timeout: probeTimeoutMs })
  if (status === 0) return null
  return error?.message ?? stderr.trim().split('\n').at(-1) ?? `it ended with exit code ${status}`
}

function scopeLimit({ cpus, env }: LimitRequest, run: string): OpenedLimit {
  const unit = `threadwise-${process.pid}-${++opened}.scope`
  const percent = Number((cpus * 100).toFixed(2))
  const settings = [`CPUQuota=${percent}%`, `CPUQuotaPeriodSec=${periodUs / 1000}ms`].flatMap((each) => [
    '-p',
    each,
  ])
  const systemctl = findExecutable('systemctl', env.PATH)
  const kill = ['--user', 'kill', '--signal=SIGKILL', unit]
  let isUsed = false
  let isRemoved = false
  const removeNow = () => {
    if (needsKill()) spawnSync(systemctl as string, kill, { env, stdio: 'ignore', timeout: probeTimeoutMs })
  }
  const remove = async () => {
    // An error means that the scope is gone already, together with its last process.
    if (needsKill()) await promisify(execFile)(systemctl as string, kill, { env }).catch(() => {})
  }
  const forget = cleanUpAtExit(removeNow)
  const needsKill = () => {
    const isNeeded = isUsed && !isRemoved && systemctl !== null
    isRemoved = true
    forget()
    return isNeeded
  }
  const wrap = (file: string, args: readonly string[]) => {
    if (isUsed) throw new ThreadwiseError('TW_ERR_INVALID_CALL', secondChild) // it would get a quota of its own
    isUsed = true
    return { file: run, args: [...userScope, `--unit=${unit}`, ...settings, '--', file, ...args] }
  }
  const note = `A systemd scope of the user with CPUQuota=${percent}%, which is a cgroup v2 quota per ${periodUs / 1000} ms.`
  return { cpus, method: 'systemd-run', exact: true, note, wrap, adopt: () => {}, remove, removeNow }
}

const secondChild = {
  call: 'wrap() of a systemd-run limit',
  expected: 'a new limit for each child',
  received: 'a second child',
}

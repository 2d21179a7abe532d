// While real calls are made again nothing may happen to the world: a mail would be sent once more, and an order placed.

import childProcess from 'node:child_process'
import dgram from 'node:dgram'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import net from 'node:net'

/** Of `fs`. What only writes to a file that is open already needs no word: none can be opened for that. */
const WRITING =
  /^(append|chmod|chown|copyFile|cp|createWriteStream|lchmod|lchown|link|lutimes|mkdir|mkdtemp|rename|rm|symlink|truncate|unlink|utimes|writeFile)/
const STARTING = /^(exec|fork|spawn)/

/** Gives the first thing that was tried, such as "it opens a connection"; null: nothing was. */
export function forbidEffects(): () => string | null {
  let tried: string | null = null
  const refuse = (what: string) => () => {
    tried ??= what
    throw new Error(`${what}, which is not done again`)
  }
  const forbid = (owner: object, names: RegExp, what: string) => {
    for (const [name, value] of Object.entries(owner))
      if (names.test(name) && typeof value === 'function') Reflect.set(owner, name, refuse(what))
  }
  forbid(childProcess, STARTING, 'it starts programs')
  for (const files of [fs, fs.promises]) {
    forbid(files, WRITING, 'it writes files')
    forbidOpening(files, refuse('it writes files'))
  }
  for (const [prototype, names] of [
    [net.Socket.prototype, ['connect']],
    [net.Server.prototype, ['listen']],
    [dgram.Socket.prototype, ['bind', 'connect', 'send']],
  ] as const)
    for (const name of names) Reflect.set(prototype, name, refuse('it uses the network'))
  syncBuiltinESMExports()
  return () => tried
}

type Open = (path: unknown, flags?: unknown, ...rest: unknown[]) => unknown

/** For writing: `w`, `a`, `r+` and their like. */
function forbidOpening(files: object, refuse: () => never | void): void {
  for (const name of ['open', 'openSync']) {
    const open = Reflect.get(files, name) as Open | undefined
    if (open === undefined) continue
    Reflect.set(files, name, (path: unknown, flags: unknown, ...rest: unknown[]) => {
      const writes =
        typeof flags === 'string' ? /[wa+]/.test(flags) : typeof flags === 'number' && (flags & 3) !== 0
      if (writes) refuse()
      return open.call(files, path, flags, ...rest)
    })
  }
}

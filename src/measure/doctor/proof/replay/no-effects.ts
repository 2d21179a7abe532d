// While real calls are made again nothing may happen to the world: a mail would be sent once more, and an order placed.
//
// Two walls. Node's permission model keeps the process from writing files, from other programs, threads and native code, whoever asks for it. It
// neither tells that something was tried where a package catches the error, nor does it know of all that has an effect: signals, databases
// and before Node.js 25 the network. So what has an effect is refused here too, and noted. Where the system allows it, the process has no
// network besides (see without-network.ts).

import childProcess from 'node:child_process'
import dgram from 'node:dgram'
import dns from 'node:dns'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import net from 'node:net'
import os from 'node:os'
import v8 from 'node:v8'
import workerThreads from 'node:worker_threads'

/** Of `fs`. What only writes to a file that is open already needs no word: none can be opened for that. */
const WRITING =
  /^(append|chmod|chown|copyFile|cp|createWriteStream|lchmod|lchown|link|lutimes|mkdir|mkdtemp|rename|rm|symlink|truncate|unlink|utimes|writeFile)/
const STARTING = /^(exec|fork|spawn)/
const ASKING = /^(lookup|resolve|reverse)/
const ANY = /./

/** Of what this Node.js may not have. */
const builtin = (name: string) => process.getBuiltinModule(`node:${name}`) ?? {}

/** In its owner each function whose name is of that form is refused. */
const EFFECTS: readonly (readonly [owner: object, names: RegExp, what: string])[] = [
  [childProcess, STARTING, 'it starts programs'],
  [builtin('cluster'), /^fork$/, 'it starts programs'],
  [workerThreads, /^Worker$/, 'it starts threads'],
  [process, /^dlopen$/, 'it runs native code'],
  [builtin('wasi'), ANY, 'it runs programs of WASI'],
  [builtin('ffi'), ANY, 'it runs native code'],
  [process, /^(kill|_kill|_debugProcess|abort)$/, 'it sends signals'],
  [os, /^setPriority$/, 'it changes the priority of programs'],
  [net.Socket.prototype, /^connect$/, 'it uses the network'],
  [net.Server.prototype, /^listen$/, 'it uses the network'],
  [dgram.Socket.prototype, /^(bind|connect|send)$/, 'it uses the network'],
  [dns, ASKING, 'it uses the network'],
  [dns.promises, ASKING, 'it uses the network'],
  [dns.Resolver.prototype, ASKING, 'it uses the network'],
  [dns.promises.Resolver.prototype, ASKING, 'it uses the network'],
  [builtin('inspector'), /^open$/, 'it uses the network'],
  [builtin('sqlite'), /^(DatabaseSync|backup)$/, 'it opens a database'],
  [fs, WRITING, 'it writes files'],
  [fs.promises, WRITING, 'it writes files'],
  [v8, /^(writeHeapSnapshot|setHeapSnapshotNearHeapLimit)$/, 'it writes files'],
  [builtin('trace_events'), /^createTracing$/, 'it writes files'],
  [process.report ?? {}, /^writeReport$/, 'it writes files'],
]

/** Gives the first thing that was tried, such as "it uses the network"; null: nothing was. */
export function forbidEffects(): () => string | null {
  let tried: string | null = null
  const refuse = (what: string) => () => {
    tried ??= what
    throw new Error(`${what}, which is not done again`)
  }
  for (const [owner, names, what] of EFFECTS)
    for (const name of Object.getOwnPropertyNames(owner))
      if (names.test(name) && isFunction(owner, name)) replace(owner, name, refuse(what))
  for (const files of [fs, fs.promises]) forbidOpening(files, refuse('it writes files'))
  syncBuiltinESMExports()
  return () => tried
}

function isFunction(owner: object, name: string): boolean {
  const descriptor = Object.getOwnPropertyDescriptor(owner, name)!
  return typeof (descriptor.get ? Reflect.get(owner, name) : descriptor.value) === 'function'
}

/** By a function, not by an arrow: `new` has to reach it too. */
function replace(owner: object, name: string, refuse: () => never): void {
  const value = function refused() {
    refuse()
  }
  Object.defineProperty(owner, name, { value, writable: true, configurable: true, enumerable: true })
}

type Open = (path: unknown, flags?: unknown, ...rest: unknown[]) => unknown

/** For writing: `w`, `a`, `r+` and their like. */
function forbidOpening(files: object, refuse: () => never): void {
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

// Which places of the source, at which it matters which object a value is, are open after real calls were seen, and how that is said.

import { types } from 'node:util'
import { deserialize } from 'node:v8'
import type { KeptCall, Watched } from '../agent/messages.js'
import type { IdentityNote } from '../effects/identity-notes.js'
import { memberName } from '../source/ast.js'

/** What is no object in any call that was seen cannot be another one. */
export function isIdentityOpen(
  { kind, argument, path, node }: IdentityNote,
  { kept }: Pick<Watched, 'kept'>,
): boolean {
  if (argument === null || !/^(gives|compares)$/.test(kind)) return true
  const given = kept.map((call) => argumentsOf(call)[argument])
  const values =
    path === null
      ? given.flatMap((each) => within(each, memberName(node)))
      : given.map((each) => valueAt(each, path))
  return values.some(isObject)
}

const known = new WeakMap<KeptCall, readonly unknown[]>()

function argumentsOf(call: KeptCall): readonly unknown[] {
  const given = known.get(call) ?? (deserialize(Buffer.from(call.given, 'base64')) as unknown[])
  known.set(call, given)
  return given
}

function valueAt(value: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined || !isObject(value)) return name === undefined ? value : undefined
  return valueAt(Reflect.get(value, name), rest)
}

/** What it holds, under that name where there is one. */
function within(value: unknown, name: string | null): unknown[] {
  if (!isObject(value)) return []
  const inner = types.isMap(value) ? [...value.entries()] : Object.entries(value)
  const values = inner.filter(([key]) => name === null || key === name).map(([, each]) => each as unknown)
  return [...values, ...inner.flatMap(([, each]) => within(each, name))]
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

export function identityText({ kind, name, argument }: IdentityNote): string {
  const given = `argument ${(argument ?? 0) + 1}`
  const what = argument === null ? `\`${name}\`` : given
  switch (kind) {
    case 'gives':
      return `nobody counts on the very object that it returns: here it may be ${what} or a part of it, and moved it is a copy`
    case 'throws':
      return `nobody counts on the very error that it throws: here it is ${what}, and moved it is a copy`
    case 'compares':
      return `${given} is not \`${name}\` itself, or a part of it: here they are compared, and moved it is a copy`
    case 'class':
      return name.startsWith('class ')
        ? `${given} is plain data: here it looks at its ${name}, and a copy has that of plain data`
        : `${given} is plain data: here it looks whether it is a ${name}, and a copy is none`
    case 'calls':
      return `${given} is plain data: here it calls \`${name}\` of it, and no function can be copied`
    case 'frozen':
      return `nobody freezes ${given}: here it is asked for that (${name}), and a copy never is`
    case 'makes':
      return `its callers need no more than the data of its result: here that may be, or hold, ${name}, which a copy is not`
    case 'symbol':
      return `${given} has no field under the symbol \`${name}\`, which it looks at here: a copy has none`
  }
}

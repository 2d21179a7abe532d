// Who may speak: names of channels that nobody can guess, and signatures of messages, jobs and results.
//
// Channels and messages are sealed with the secret of the queue; where none is given, with what only its users know (the password of Redis, what
// a table of PostgreSQL holds). Jobs and results are signed only where a secret is given: they outlive a password.
//
// Of several secrets the first one seals, and all are told under and accepted: a new one goes second everywhere, then first, then alone.

import { createHmac, timingSafeEqual } from 'node:crypto'

export interface Seal {
  /** Where to listen. */
  channel(name: string): string
  /** Where to tell a message, and as what. */
  tell(name: string, message: object): readonly { readonly channel: string; readonly text: string }[]
  /** What was told; undefined: it was nobody of ours. */
  open(name: string, text: string): string | undefined
  /** A secret was given. */
  readonly signs: boolean
  sign(parts: readonly unknown[]): string
  isSigned(parts: readonly unknown[], signature: unknown): boolean
}

export interface SealOptions {
  /** What all names of channels begin with. */
  readonly prefix: string
  /** Stores that do not hear each other. */
  readonly scope: string
  readonly secrets: readonly string[]
  /** In place of secrets. */
  readonly known: string
}

/** Letters of a SHA-256 in base64url. */
const LENGTH = 43

export function createSeal({ prefix, scope, secrets, known }: SealOptions): Seal {
  const keys = (secrets.length > 0 ? secrets : [known]).map((secret) => mac(secret, 'threadwise'))
  const channelBy = remembering(
    (key, name) => `${prefix}:threadwise:${mac(key, `channel ${scope} ${prefix} ${name}`).slice(0, 22)}`,
  )
  const macBy = (key: string, name: string, text: string) =>
    mac(key, `message ${scope} ${prefix} ${name} ${text}`)
  const signBy = (key: string, parts: readonly unknown[]) =>
    mac(key, `job ${prefix} ${JSON.stringify(parts)}`)
  return {
    channel: (name) => channelBy(keys[0]!, name),
    tell(name, message) {
      const text = JSON.stringify(message)
      return keys.map((key) => ({ channel: channelBy(key, name), text: macBy(key, name, text) + text }))
    },
    open(name, sealed) {
      const text = sealed.slice(LENGTH)
      const given = sealed.slice(0, LENGTH)
      return keys.some((key) => isEqual(given, macBy(key, name, text))) ? text : undefined
    },
    signs: secrets.length > 0,
    sign: (parts) => signBy(keys[0]!, parts),
    isSigned(parts, signature) {
      return typeof signature === 'string' && keys.some((key) => isEqual(signature, signBy(key, parts)))
    },
  }
}

const MAX_REMEMBERED = 500

/** Who asks for jobs asks for many. */
function remembering(make: (key: string, name: string) => string): (key: string, name: string) => string {
  const known = new Map<string, string>()
  return (key, name) => {
    const both = `${key} ${name}`
    let made = known.get(both)
    if (made !== undefined) return made
    made = make(key, name)
    if (known.size >= MAX_REMEMBERED) known.clear()
    known.set(both, made)
    return made
  }
}

function mac(key: string, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64url')
}

function isEqual(one: string, two: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(two)]
  return a.length === b.length && timingSafeEqual(a, b)
}

// Shim for wire/codec/platform.ts: what an object is to a browser, by what it calls itself. An object of another realm, such as a frame, is no
// instance of this realm's classes.

import { readField } from '../../wire/codec/error-parts.js'

/** Structured clone can only move them. */
const ONLY_MOVED =
  /^(MessagePort|ReadableStream|WritableStream|TransformStream|OffscreenCanvas|RTCDataChannel|MediaStreamTrack|MediaSourceHandle)$/

export function tagOf(value: object): string {
  return Object.prototype.toString.call(value).slice('[object '.length, -1)
}

export function canOnlyMove(value: object): boolean {
  return ONLY_MOVED.test(tagOf(value))
}

/** What the platform calls it; of an instance the name of its class. */
export function nameOf(value: object): string {
  const tag = tagOf(value)
  const type =
    tag === 'Object' ? (readField(value, 'constructor') as { name?: unknown } | undefined) : undefined
  return typeof type === 'function' && type.name !== '' ? String(type.name) : tag
}

/** "a Promise", "an HTMLElement" */
export function named(value: object): string {
  const name = nameOf(value)
  return `${/^([aeio]|u(?!r[li])|html|svg|xml)/i.test(name) ? 'an' : 'a'} ${name}`
}

/** In every realm the prototype of plain objects has none itself. */
export function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return typeof prototype !== 'object' || prototype === null || Object.getPrototypeOf(prototype) === null
}

/** It sends events: what it holds is of no use elsewhere. */
export function emits(value: object): boolean {
  const has = (name: string) => typeof readField(value, name) === 'function'
  return has('on') && has('emit') && has('removeListener')
}

export function ownField(value: object): string | undefined {
  for (const key in value) if (Object.hasOwn(value, key)) return key
  return undefined
}

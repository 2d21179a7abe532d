// Whether bytes hold one of several secrets, in any form in which a program may have written it.
import { deserialize } from 'node:v8'
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib'

/** How deep one form may lie in another. */
const MAX_DEPTH = 3

/** Gives those that are found, with the way to each. */
export function findSecrets(bytes, secrets) {
  const found = new Set()
  const look = (layer, way, depth) => {
    const text = layer.toString('latin1')
    for (const secret of secrets)
      if (formsOf(secret).some((form) => text.includes(form))) found.add(`${secret} (${way || 'as it is'})`)
    if (depth < MAX_DEPTH)
      for (const [name, inner] of layersOf(layer, text)) look(inner, `${way} ${name}`.trim(), depth + 1)
  }
  look(Buffer.from(bytes), '', 0)
  return [...found]
}

const known = new Map()

/** As text in latin1. */
function formsOf(secret) {
  if (!known.has(secret)) known.set(secret, makeForms(secret))
  return known.get(secret)
}

function makeForms(secret) {
  const plain = Buffer.from(secret)
  const [wide, widest] = [2, 4].map((width) => Buffer.from(Array.from({ length: plain.length * width }, (_, at) => (at % width ? 0 : plain[at / width])))) // prettier-ignore
  const codes = [...plain]
  return [
    ...[plain, wide, widest, Buffer.from(wide).swap16()].map((bytes) => bytes.toString('latin1')),
    ...[plain.toString('hex'), plain.toString('hex').toUpperCase(), encodeURIComponent(secret)],
    ...[codes.join(','), codes.join(', '), codes.join(',\n  '), [...plain.toString('latin1')].join(',')],
    ...[0, 1, 2].flatMap((shift) => insideBase64(plain, shift)),
    [...plain].reverse().map((byte) => String.fromCharCode(byte)).join(''), // prettier-ignore
    codes.map((code) => `\\x${code.toString(16)}`).join(''),
    codes.map((code) => `\\u${code.toString(16).padStart(4, '0')}`).join(''),
  ]
}

/** What stays the same wherever it begins. */
function insideBase64(bytes, shift) {
  const text = Buffer.concat([Buffer.alloc(shift), bytes])
    .toString('base64')
    .replaceAll('=', '')
  const inner = text.slice(shift === 0 ? 0 : shift + 1, -1)
  return [inner, inner.replaceAll('+', '-').replaceAll('/', '_')]
}

function layersOf(bytes, text) {
  const layers = []
  for (const [word] of text.matchAll(/[\w+/-]{12,}={0,2}/g)) {
    layers.push(['base64', Buffer.from(word, 'base64')])
    if (/^[\da-f]+$/i.test(word)) layers.push(['hex', Buffer.from(word, 'hex')])
  }
  if (/%[\da-f]{2}/i.test(text)) layers.push(['url', Buffer.from(text.replace(/%([\da-f]{2})/gi, (_, hex) => String.fromCharCode(parseInt(hex, 16))), 'latin1')]) // prettier-ignore
  if (text.includes('\0')) layers.push(['utf16', Buffer.from(text.replaceAll('\0', ''), 'latin1')])
  for (const [name, unpack] of Object.entries({ gunzipSync, inflateSync, inflateRawSync, brotliDecompressSync, values: valuesOf })) {
    try {
      layers.push([name, unpack(bytes)])
    } catch {
      // it is none of that
    }
  } // prettier-ignore
  return layers
}

/** Of what node:v8 has serialized, its numbers as they would be written, which are no text there, and its texts as one. */
function valuesOf(bytes) {
  const numbers = []
  const texts = []
  const seen = new Set()
  const visit = (value) => {
    if (typeof value === 'number' || typeof value === 'bigint') numbers.push(String(value))
    if (typeof value === 'string') texts.push(value)
    if (typeof value !== 'object' || value === null || seen.has(value)) return
    seen.add(value)
    if (value instanceof Map) [...value].flat().forEach(visit)
    else if (value instanceof Set) value.forEach(visit)
    else if (ArrayBuffer.isView(value) && value.BYTES_PER_ELEMENT > 1) for (const each of value) visit(each)
    else if (value instanceof Date) numbers.push(value.toJSON())
    else if (!ArrayBuffer.isView(value)) Object.values(value).forEach(visit)
  }
  visit(deserialize(bytes))
  return Buffer.from(`${numbers.join()} ${texts.join('')}`)
}

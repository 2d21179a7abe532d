// PNG files as pixels and back: what the image experiment needs of the format (PNG, third edition, W3C 2025).

import { crc32, deflateSync, inflateSync } from 'node:zlib'

export interface Picture {
  readonly width: number
  readonly height: number
  /** Red, green, blue, alpha of each pixel, row by row. */
  readonly rgba: Uint8Array
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const RGBA = 6
/** Colour type -> values for each pixel: grey, colour, index into the palette, grey with alpha, colour with alpha. */
const CHANNELS: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, [RGBA]: 4 }
/** A picture of 100 megapixels takes 400 MB, and as much again for its copy. */
const MAX_PIXELS = 100_000_000

/** The same pixels always give the same bytes. */
export function encodePng({ width, height, rgba }: Picture): Buffer {
  const lines = Buffer.alloc(height * (1 + 4 * width)) // each line begins with its filter: 0, none
  for (let y = 0; y < height; y++)
    lines.set(rgba.subarray(4 * width * y, 4 * width * (y + 1)), y * (1 + 4 * width) + 1)
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, RGBA], 8)
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(lines)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const ends = Buffer.alloc(8)
  ends.writeUInt32BE(data.length, 0)
  ends.writeUInt32BE(crc32(typed), 4)
  return Buffer.concat([ends.subarray(0, 4), typed, ends.subarray(4)])
}

/** The pixels, or what is the matter with the file. Of 16 bits for a value the upper 8 are kept. */
export function decodePng(file: Buffer): Picture | { readonly unreadable: string } {
  try {
    return read(file)
  } catch (error) {
    return { unreadable: (error as Error).message } // of zlib, or a length that lies outside the file
  }
}

interface Layout {
  readonly width: number
  readonly height: number
  readonly bytes: number
  readonly channels: number
  readonly colour: number
}

function read(file: Buffer): Picture | { readonly unreadable: string } {
  if (!file.subarray(0, 8).equals(SIGNATURE)) return { unreadable: 'it does not begin as a PNG does' }
  const chunks = chunksOf(file)
  const header = chunks.find(({ type }) => type === 'IHDR')?.data
  if (!header) return { unreadable: 'it has no header' }
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)]
  const [depth, colour, , , interlaced] = header.subarray(8)
  const channels = CHANNELS[colour!]
  if (width * height > MAX_PIXELS) return { unreadable: `it has more than ${MAX_PIXELS} pixels` }
  if (!channels || (depth !== 8 && depth !== 16))
    return { unreadable: `it has ${depth} bits for each value, not 8 or 16` }
  if (interlaced) return { unreadable: 'it is interlaced' }
  const layout = { width, height, bytes: depth / 8, channels, colour: colour! }
  const data = inflateSync(Buffer.concat(chunks.filter(({ type }) => type === 'IDAT').map((c) => c.data)))
  if (data.length < height * (1 + width * channels * layout.bytes))
    return { unreadable: 'its end is missing' }
  unfilter(data, layout)
  const of = (name: string) => chunks.find(({ type }) => type === name)?.data
  return { width, height, rgba: toRgba(data, layout, { palette: of('PLTE'), alphas: of('tRNS') }) }
}

function chunksOf(file: Buffer): { readonly type: string; readonly data: Buffer }[] {
  const chunks = []
  for (let at = 8; at + 8 <= file.length;) {
    const length = file.readUInt32BE(at)
    chunks.push({
      type: file.toString('latin1', at + 4, at + 8),
      data: file.subarray(at + 8, at + 8 + length),
    })
    at += length + 12
  }
  return chunks
}

/** Undoes the filters in place: each byte was stored as its difference from bytes to the left and above. */
function unfilter(data: Buffer, { width, height, bytes, channels }: Layout): void {
  const step = bytes * channels
  const line = 1 + width * step
  for (let y = 0; y < height; y++) {
    const filter = data[y * line]!
    for (let x = 1; x < line; x++) {
      const at = y * line + x
      const left = x > step ? data[at - step]! : 0
      const up = y > 0 ? data[at - line]! : 0
      const corner = x > step && y > 0 ? data[at - line - step]! : 0
      data[at] = data[at]! + predict(filter, left, up, corner)
    }
  }
}

function predict(filter: number, left: number, up: number, corner: number): number {
  if (filter === 1) return left
  if (filter === 2) return up
  if (filter === 3) return (left + up) >> 1
  return filter === 4 ? paeth(left, up, corner) : 0
}

/** Whichever of the three is nearest to left + up - corner, in this order where two are. */
function paeth(left: number, up: number, corner: number): number {
  const [toLeft, toUp] = [Math.abs(up - corner), Math.abs(left - corner)]
  const toCorner = Math.abs(left + up - 2 * corner)
  if (toLeft <= toUp && toLeft <= toCorner) return left
  return toUp <= toCorner ? up : corner
}

type Colours = { readonly palette: Buffer | undefined; readonly alphas: Buffer | undefined }

function toRgba(data: Buffer, layout: Layout, { palette, alphas }: Colours): Uint8Array {
  const { width, height, bytes, channels, colour } = layout
  const rgba = new Uint8Array(4 * width * height).fill(255)
  const isGrey = colour === 0 || colour === 4
  const hasAlpha = colour === 4 || colour === RGBA
  let to = 0
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++, to += 4) {
      const at = y * (1 + width * channels * bytes) + 1 + x * channels * bytes
      for (let c = 0; c < 3; c++) {
        rgba[to + c] =
          colour === 3 ? (palette?.[3 * data[at]! + c] ?? 0) : data[at + (isGrey ? 0 : c * bytes)]!
      }
      if (hasAlpha) rgba[to + 3] = data[at + (channels - 1) * bytes]!
      else if (colour === 3) rgba[to + 3] = alphas?.[data[at]!] ?? 255
    }
  }
  return rgba
}

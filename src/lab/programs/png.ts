// PNG files as pixels and back.

import { PNG } from 'pngjs'

export interface Picture {
  readonly width: number
  readonly height: number
  /** Red, green, blue, alpha of each pixel, row by row. */
  readonly rgba: Uint8Array
}

/** A picture of 100 megapixels takes 400 MB, and as much again for its copy. */
const MAX_PIXELS = 100_000_000
const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex')
/** Where the header has width and height. */
const [WIDTH_AT, HEIGHT_AT, HEADER_END] = [16, 20, 24]
/** To choose a filter for each line would take ten times as long for a file that is read once. */
const FAST = { filterType: 0, deflateLevel: 6, deflateStrategy: 0 }

/** The same pixels always give the same bytes. */
export function encodePng({ width, height, rgba }: Picture): Buffer {
  const data = Buffer.from(rgba.buffer, rgba.byteOffset, rgba.byteLength)
  return PNG.sync.write({ width, height, data } as PNG, FAST)
}

/** The pixels, or what is the matter with the file. */
export function decodePng(file: Buffer): Picture | { readonly unreadable: string } {
  if (!file.subarray(0, 8).equals(SIGNATURE)) return { unreadable: 'it does not begin as a PNG does' }
  if (file.length < HEADER_END) return { unreadable: 'it has no header' }
  const pixels = file.readUInt32BE(WIDTH_AT) * file.readUInt32BE(HEIGHT_AT)
  if (pixels > MAX_PIXELS) return { unreadable: `it has more than ${MAX_PIXELS} pixels` }
  try {
    const { width, height, data } = PNG.sync.read(file)
    return { width, height, rgba: new Uint8Array(data.buffer, data.byteOffset, data.length) }
  } catch (error) {
    const { message } = error as Error
    const isCut = message.startsWith('There are some read requests')
    return { unreadable: isCut ? 'its end is missing' : `it is damaged: ${message}` }
  }
}

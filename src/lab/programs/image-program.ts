// The program of the image experiment: one call blurs the whole picture, and every byte of it is compared.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Executor } from '../../index.js'
import { map } from '../../parallel.js'
import { decodePng, encodePng, type Picture } from './png.js'
import type * as tasks from '../tasks/blur-tile.js'
import { blurTile, blurWeights, type Tile } from '../tasks/blur-tile.js'

export interface ImagePlan {
  readonly way: 'loop' | 'tiles'
  /** Holds the picture, and what the loop in one thread makes of it, both as PNG. */
  readonly folder: string
  readonly radius: number
}

export const PICTURE_FILE = 'picture.png'
export const BLURRED_FILE = 'blurred.png'

/** Edge of a tile in pixels. */
const TILE = 128

export async function start(
  executor: Executor,
  { way, folder, radius }: ImagePlan,
): Promise<() => Promise<void>> {
  const picture = readPicture(join(folder, PICTURE_FILE))
  const expected = readPicture(join(folder, BLURRED_FILE))
  const { width, height } = picture
  const size = 4 * width * height
  const [source, target] = [
    new Uint8Array(new SharedArrayBuffer(size)),
    new Uint8Array(new SharedArrayBuffer(size)),
  ]
  source.set(picture.rgba)
  const call = { source, target, width, height, weights: blurWeights(radius) }
  const inputs = tilesOf(width, height).map((tile) => ({ ...call, tile }))
  const blur = async () => {
    if (way === 'loop')
      return void blurTile({ ...call, tile: { left: 0, top: 0, right: width, bottom: height } })
    await map(executor as Executor<Tasks>, 'blurTile', inputs)
  }
  const check = (isSame: boolean) => {
    if (!isSame) throw new Error('the picture differs from the one that was blurred in one thread')
  }
  await blur()
  check(encodePng({ width, height, rgba: target }).equals(readFileSync(join(folder, BLURRED_FILE))))
  return async () => {
    target.fill(0) // what the call before left would pass the comparison
    await blur()
    check(Buffer.compare(target, expected.rgba) === 0)
  }
}

type Tasks = typeof tasks

function readPicture(file: string): Picture {
  return decodePng(readFileSync(file)) as Picture // the experiment has written it
}

function tilesOf(width: number, height: number): Tile[] {
  const tiles: Tile[] = []
  for (let top = 0; top < height; top += TILE)
    for (let left = 0; left < width; left += TILE)
      tiles.push({ left, top, right: Math.min(width, left + TILE), bottom: Math.min(height, top + TILE) })
  return tiles
}

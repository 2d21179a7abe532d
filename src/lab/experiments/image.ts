// lab image: does blurring a picture get faster when threads share its memory and each takes tiles of it?

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkDisk } from '../runner/free-disk.js'
import { noPause, type Pause } from '../runner/pause.js'
import { checkOption } from '../../errors/check-options.js'
import { writeOwnOutput } from '../../user/own-output.js'
import { comparisonColumns, comparisonRow, sameResults, allCpus, plural } from '../runner/wording.js'
import { MAX_THREADS, labProgram, labTasks, type Experiment, type Row } from '../runner/experiment.js'
import { judgeWorth, worthSentence } from '../runner/judge-worth.js'
import { decodePng, encodePng, type Picture } from '../programs/png.js'
import { BLURRED_FILE, PICTURE_FILE, type ImagePlan } from '../programs/image-program.js'
import { blurTile, blurWeights } from '../tasks/blur-tile.js'

const LARGEST = 4096
/** Pixels: also with the widest blur a tile takes less than a second. */
const TILE = 128
/** Beyond this the whole numbers that weigh the pixels get too coarse. */
const WIDEST = 256

const parameters = {
  image: { flag: '--image <file>', description: 'a PNG file (default: a picture is made)', initial: '' },
  size: {
    flag: '--size <n>',
    description: 'edge of the picture that is made, in pixels',
    initial: 512,
    most: LARGEST,
  },
  radius: {
    flag: '--radius <n>',
    description: 'how far the blur reaches, in pixels',
    initial: 6,
    most: WIDEST,
  },
  threads: {
    flag: '--threads <list>',
    description: 'numbers of threads',
    initial: [1, 2],
    most: MAX_THREADS,
  },
  out: { flag: '--out <file>', description: 'write the blurred picture as PNG', initial: '', isOutput: true },
} as const

const LOOP = 'plain loop'

export const image: Experiment<typeof parameters> = {
  name: 'image',
  question: 'Does blurring a picture get faster when threads share its memory and each takes tiles of it?',
  takes: 'about half a minute',
  parameters,
  mode: 'cell',
  async prepare({ image: file, size, radius, out }, folder, pause = noPause) {
    checkDisk(folder, { option: 'size', count: size, bytes: 8 * size, files: 0 })
    const picture = file === '' ? await makePicture(size, pause) : readPicture(file)
    const blurred = encodePng(await blur(picture, radius, pause))
    if (out !== '') writeOut(out, blurred)
    writeFileSync(join(folder, PICTURE_FILE), encodePng(picture))
    writeFileSync(join(folder, BLURRED_FILE), blurred)
    const { width, height } = picture
    return {
      found: [`The picture has ${width} x ${height} pixels${out === '' ? '' : `; blurred it is in ${out}`}.`],
    }
  },
  rows: ({ radius, threads }, folder) => {
    const row = (label: string, way: ImagePlan['way'], size: number): Row => {
      const plan: ImagePlan = { way, folder, radius }
      const url = labTasks('blur-tile')
      return {
        label,
        cell: {
          source: { kind: 'task', url, task: 'blurTile', inputs: [[plan]], program: labProgram('image') },
          variant: 'blur',
          executor: way === 'loop' ? 'inline' : 'threads',
          size,
          cpus: allCpus(),
          uv: null,
          inFlight: 1,
        },
      }
    }
    return [row(LOOP, 'loop', 1), ...threads.map((size) => row(plural(size, 'thread'), 'tiles', size))]
  },
  baselineOf: (_row, rows) => rows[0],
  conclude: (rows, { radius }) => ({
    sentence: worthSentence('Blurring', judgeWorth(rows), 'pictures of a plain loop'),
    remarks: [
      ...sameResults(
        rows,
        'Every picture of every row was, to the byte, the one that a single thread made; this was checked after each.',
      ),
      'The picture and the result lie in a SharedArrayBuffer, so no pixel is copied to a thread or back. Reading and writing the PNG file is not part of the time.',
      'The loop delay is what every other request of the same process waits while a picture is blurred.',
    ],
    tables: [
      {
        title: `A blur of radius ${radius}`,
        columns: comparisonColumns('pictures/s', LOOP),
        rows: rows.map((row) => comparisonRow(row, rows[0])),
      },
    ],
    heatMaps: [],
  }),
}

/** In tiles as the threads do it, with pauses between. */
async function blur({ width, height, rgba }: Picture, radius: number, pause: Pause): Promise<Picture> {
  const target = new Uint8Array(rgba.length)
  const weights = blurWeights(radius)
  for (let top = 0; top < height; top += TILE)
    for (let left = 0; left < width; left += TILE) {
      const tile = { left, top, right: Math.min(width, left + TILE), bottom: Math.min(height, top + TILE) }
      blurTile({ source: rgba, target, width, height, weights, tile })
      await pause()
    }
  return { width, height, rgba: target }
}

function readPicture(file: string): Picture {
  let bytes: Buffer
  try {
    bytes = readFileSync(file)
  } catch (error) {
    return refuse('image', `a PNG file that can be read (${(error as Error).message})`, file)
  }
  const picture = decodePng(bytes)
  return 'unreadable' in picture ? refuse('image', `a PNG file (${picture.unreadable})`, file) : picture
}

function writeOut(file: string, bytes: Buffer): void {
  try {
    writeOwnOutput(file, bytes)
  } catch (error) {
    refuse('out', `a file that can be written (${(error as Error).message})`, file)
  }
}

function refuse(option: string, expected: string, received: string): never {
  checkOption(false, option, expected, received)
  throw new Error('unreachable')
}

/** Rings of colour with sharp edges, so that a blur can be seen. */
export async function makePicture(size: number, pause: Pause = noPause): Promise<Picture> {
  const rgba = new Uint8Array(4 * size * size)
  for (let y = 0, at = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const ring = Math.floor(Math.hypot(x - size / 2, y - size / 2) / 24)
      rgba.set([(ring * 67) & 255, (255 * x) / size, (255 * y) / size, ring % 5 === 0 ? 160 : 255], at)
      at += 4
    }
    await pause()
  }
  return { width: size, height: size, rgba }
}

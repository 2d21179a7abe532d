// Filters for pictures, by bands of rows: each band is a task.
import { move } from 'threadwise/task'

const RADIUS = 3
const CHANNELS = 4

/**
 * A band of a picture: rows `from` to `to`, and above and below as many as a filter looks at.
 *
 * @returns {{ pixels: Uint8ClampedArray, width: number, above: number, rows: number }} for `blur` and `sharpen`
 */
export function bandOf({ data, width, height }, from, to) {
  const first = Math.max(0, from - RADIUS)
  const last = Math.min(height, to + RADIUS)
  const pixels = data.slice(first * width * CHANNELS, last * width * CHANNELS)
  return { pixels, width, above: from - first, rows: to - from }
}

/** The mean of the pixels around each. */
export function blur({ pixels, width, above, rows }) {
  const height = pixels.length / width / CHANNELS
  const blurred = new Uint8ClampedArray(rows * width * CHANNELS)
  for (let row = 0; row < rows; row++) {
    const top = Math.max(0, row + above - RADIUS)
    const bottom = Math.min(height - 1, row + above + RADIUS)
    for (let column = 0; column < width; column++) {
      const left = Math.max(0, column - RADIUS)
      const right = Math.min(width - 1, column + RADIUS)
      const count = (bottom - top + 1) * (right - left + 1)
      for (let channel = 0; channel < CHANNELS; channel++) {
        let sum = 0
        for (let y = top; y <= bottom; y++)
          for (let x = left; x <= right; x++) sum += pixels[(y * width + x) * CHANNELS + channel]
        blurred[(row * width + column) * CHANNELS + channel] = sum / count
      }
    }
  }
  return move(blurred) // it is needed here no more
}

/** Twice the picture without its blur. */
export function sharpen(band) {
  const sharpened = blur(band)
  const offset = band.above * band.width * CHANNELS
  for (let i = 0; i < sharpened.length; i++) sharpened[i] = 2 * band.pixels[offset + i] - sharpened[i]
  return sharpened
}

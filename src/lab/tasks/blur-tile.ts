// The task of the image experiment: blurs one tile of a picture in shared memory into another picture there.

export interface Tile {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

export interface BlurCall {
  /** RGBA of the whole picture, and where the blurred one goes. */
  readonly source: Uint8Array
  readonly target: Uint8Array
  readonly width: number
  readonly height: number
  readonly weights: readonly number[]
  readonly tile: Tile
}

/** Weights are whole numbers, so every tile computes the same sums. 255 times the square of their sum fits into 31 bits. */
const SHIFT = 11
const WEIGHT_SUM = 1 << SHIFT

/** A bell curve from -radius to radius, with a standard deviation of half the radius. */
export function blurWeights(radius: number): number[] {
  const bell = Array.from({ length: 2 * radius + 1 }, (_, i) => Math.exp(-2 * ((i - radius) / radius) ** 2))
  const sum = bell.reduce((a, b) => a + b)
  const weights = bell.map((value) => Math.round((WEIGHT_SUM * value) / sum))
  weights[radius]! += WEIGHT_SUM - weights.reduce((a, b) => a + b)
  return weights
}

/** Along the rows first, also of the rows above and below that the columns need; then along the columns. */
export function blurTile(call: BlurCall): void {
  const { target, width, weights, tile } = call
  const { left, top, right, bottom } = tile
  const values = 4 * (right - left)
  const rows = blurRows(call)
  const sums = new Int32Array(values)
  for (let y = top; y < bottom; y++) {
    sums.fill(WEIGHT_SUM ** 2 / 2) // so that cutting off the rest rounds
    for (let k = 0; k < weights.length; k++) addWeighted(sums, weights[k]!, rows, (y - top + k) * values)
    const to = 4 * (y * width + left)
    for (let at = 0; at < values; at++) target[to + at] = sums[at]! >> (2 * SHIFT)
  }
}

/** Sums of WEIGHT_SUM times a value, not yet rounded. */
function blurRows({ source, width, height, weights, tile: { left, top, right, bottom } }: BlurCall) {
  const radius = (weights.length - 1) / 2
  const values = 4 * (right - left)
  const rows = new Int32Array((bottom - top + 2 * radius) * values)
  const line = new Int32Array(values + 8 * radius)
  for (let y = top - radius, at = 0; y < bottom + radius; y++, at += values) {
    // Beyond its edges the picture goes on with the pixels of the edge.
    const from = width * Math.min(height - 1, Math.max(0, y))
    for (let i = 0, x = left - radius; i < line.length; i += 4, x++) {
      const pixel = 4 * (from + Math.min(width - 1, Math.max(0, x)))
      for (let c = 0; c < 4; c++) line[i + c] = source[pixel + c]!
    }
    const sums = rows.subarray(at, at + values)
    for (let k = 0; k < weights.length; k++) addWeighted(sums, weights[k]!, line, 4 * k)
  }
  return rows
}

/** One weight for a whole line: memory is read in its order, which is several times faster than all weights for each value. */
function addWeighted(sums: Int32Array, weight: number, values: Int32Array, from: number): void {
  const { length } = sums
  for (let i = 0; i < length; i++) sums[i]! += weight * values[from + i]!
}

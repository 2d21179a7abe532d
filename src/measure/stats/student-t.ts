// The normal and Student's t distribution: what the interval of a handful of rounds needs.

import { assert } from '../../errors/errors.js'

/**
 * P(Z <= z) for the standard normal, to about 1e-15.
 *
 * Hart's double-precision rational approximation as given by West, "Better approximations to cumulative normal functions"
 * (Wilmott, May 2005).
 */
export function normalCdf(z: number): number {
  const distance = Math.abs(z)
  const tail = distance > 37 ? 0 : Math.exp((-distance * distance) / 2) * hartTail(distance)
  return z > 0 ? 1 - tail : tail
}

/** The z with P(Z <= z) = p, to about 1e-16 of its size: algorithm AS 241, PPND16 (Wichura, Applied Statistics 37, 1988). */
export function normalQuantile(p: number): number {
  assert(p >= 0 && p <= 1, `normalQuantile of ${p}`)
  if (p === 0 || p === 1) return p === 0 ? -Infinity : Infinity
  const offset = p - 0.5
  if (Math.abs(offset) <= 0.425) {
    const r = 0.180625 - offset * offset
    return offset * rational(r, CENTRE)
  }
  const r = Math.sqrt(-Math.log(offset < 0 ? p : 1 - p))
  const distance = r <= 5 ? rational(r - 1.6, MIDDLE) : rational(r - 5, TAIL)
  return offset < 0 ? -distance : distance
}

/**
 * P(T <= t) for Student's t with a whole number of degrees of freedom, to about 1e-15.
 *
 * The finite series in theta = atan(t / sqrt(df)): Abramowitz and Stegun 26.7.3 (odd) and 26.7.4 (even).
 */
export function studentCdf(t: number, df: number): number {
  assert(Number.isInteger(df) && df >= 1, `studentCdf with ${df} degrees of freedom`)
  const theta = Math.atan(Math.abs(t) / Math.sqrt(df))
  const inside = df % 2 === 0 ? evenSeries(theta, df) : oddSeries(theta, df)
  const tail = Math.max(0, (1 - inside) / 2)
  return t > 0 ? 1 - tail : tail
}

/** The t with P(T <= t) = p, found by halving an interval around it. */
export function studentQuantile(p: number, df: number): number {
  assert(p > 0 && p < 1, `studentQuantile of ${p}`)
  if (p > 0.5) return -studentQuantile(1 - p, df)
  let low = -1
  while (studentCdf(low, df) > p && low > -1e9) low *= 2
  let high = 0
  for (let middle = low / 2; middle > low && middle < high; middle = (low + high) / 2) {
    if (studentCdf(middle, df) < p) low = middle
    else high = middle
  }
  return high
}

function hartTail(z: number): number {
  if (z < 7.07106781186547) {
    return (
      horner(
        z,
        [
          220.206867912376, 221.213596169931, 112.079291497871, 33.912866078383, 6.37396220353165,
          0.700383064443688, 3.52624965998911e-2,
        ],
      ) /
      horner(
        z,
        [
          440.413735824752, 793.826512519948, 637.333633378831, 296.564248779674, 86.7807322029461,
          16.064177579207, 1.75566716318264, 8.83883476483184e-2,
        ],
      )
    )
  }
  return 1 / (z + 1 / (z + 2 / (z + 3 / (z + 4 / (z + 0.65))))) / Math.sqrt(2 * Math.PI)
}

function oddSeries(theta: number, df: number): number {
  if (df === 1) return (2 * theta) / Math.PI
  const cosine = Math.cos(theta)
  let term = cosine
  let sum = cosine
  for (let k = 3; k <= df - 2; k += 2) {
    term *= (cosine * cosine * (k - 1)) / k
    sum += term
  }
  return (2 / Math.PI) * (theta + Math.sin(theta) * sum)
}

function evenSeries(theta: number, df: number): number {
  const square = Math.cos(theta) ** 2
  let term = 1
  let sum = 1
  for (let k = 2; k <= df - 2; k += 2) {
    term *= (square * (k - 1)) / k
    sum += term
  }
  return Math.sin(theta) * sum
}

interface Rational {
  above: number[]
  below: number[]
}

function rational(x: number, { above, below }: Rational): number {
  return horner(x, above) / horner(x, below)
}

/** The polynomial with these coefficients, the constant first. */
function horner(x: number, coefficients: number[]): number {
  return coefficients.reduceRight((sum, coefficient) => sum * x + coefficient, 0)
}

const CENTRE: Rational = {
  above: [
    3.3871328727963665, 133.14166789178438, 1971.5909503065513, 13731.69376550946, 45921.95393154987,
    67265.7709270087, 33430.57558358813, 2509.0809287301227,
  ],
  below: [
    1, 42.31333070160091, 687.1870074920579, 5394.196021424751, 21213.794301586597, 39307.89580009271,
    28729.085735721943, 5226.495278852854,
  ],
}

const MIDDLE: Rational = {
  above: [
    1.4234371107496835, 4.630337846156546, 5.769497221460691, 3.6478483247632045, 1.2704582524523684,
    0.2417807251774506, 0.022723844989269184, 0.0007745450142783414,
  ],
  below: [
    1, 2.053191626637759, 1.6763848301838038, 0.6897673349851, 0.14810397642748008, 0.015198666563616457,
    0.0005475938084995345, 1.0507500716444169e-9,
  ],
}

const TAIL: Rational = {
  above: [
    6.657904643501103, 5.463784911164114, 1.7848265399172913, 0.29656057182850487, 0.026532189526576124,
    0.0012426609473880784, 0.000027115555687434876, 2.0103343992922881e-7,
  ],
  below: [
    1, 0.599832206555888, 0.1369298809227358, 0.014875361290850615, 0.0007868691311456133,
    0.000018463183175100548, 1.421511758316446e-7, 2.0442631033899397e-15,
  ],
}

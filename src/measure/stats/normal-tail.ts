// How likely a normal value lies beyond so many standard deviations.

/** P(Z > z), with a relative error below 1.2e-7: erfc by a Chebyshev fit (Press and others, "Numerical Recipes in C", 1992, 6.2). */
export function normalTail(z: number): number {
  const x = Math.abs(z) / Math.SQRT2
  const t = 1 / (1 + 0.5 * x)
  const tail = 0.5 * t * Math.exp(-x * x + FIT.reduceRight((sum, coefficient) => sum * t + coefficient, 0))
  return z >= 0 ? tail : 1 - tail
}

/** The constant first. */
const FIT = [
  -1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806, 0.27886807, -1.13520398, 1.48851587,
  -0.82215223, 0.17087277,
]

// A copy of numbers that shares nothing with them.

import type { Numbers } from '../task/sort-kernels.js'

interface TypedArrayMethods {
  slice(this: Numbers, from: number, to: number): Numbers
}
const typedArray = Object.getPrototypeOf(Uint8Array.prototype) as TypedArrayMethods

/** Of every kind of typed array. A Buffer has a slice() of its own, which gives a view; this is that of the language. */
export function copyNumbers(array: Numbers, from = 0, to = array.length): Numbers {
  return typedArray.slice.call(array, from, to)
}

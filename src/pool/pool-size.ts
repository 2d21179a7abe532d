// The option `size`: a number of workers, or a range of them.

import { checkNames, checkOption, optionNames } from '../errors.js'
import type { Size } from '../executor/executor.js'
import { checkCount } from '../executor/options.js'
import type { SizeRange } from './elastic-size.js'

const SIZE_OPTIONS = optionNames('min max')

/** @throws TW_ERR_INVALID_OPTION */
export function resolveSize(size: Size): SizeRange {
  if (typeof size !== 'object' || size === null) {
    checkCount('size', size)
    return { min: size, max: size }
  }
  checkNames(size, SIZE_OPTIONS, 'size.')
  const { max, min = 1 } = size
  checkCount('size.max', max)
  const isMin = Number.isInteger(min) && min >= 0 && min <= max
  checkOption(isMin, 'size.min', 'a whole number from 0 to size.max', min)
  return { min, max }
}

// What a build expects of a measurement, from its command line.

import { readFileSync } from 'node:fs'
import { checkOption } from '../../errors/check-options.js'
import { parseExpectation, type Expectation } from '../../measure/gate.js'
import type { MeasureResult } from '../../measure/results/result.js'

/** One more expectation, added to those before it. */
export function parseExpected(text: string, earlier: Expectation[] = []): Expectation[] {
  return [...earlier, parseExpectation(text)]
}

/** Read before anything is measured: minutes later it would be too late to say that it cannot be. */
export function parseBaseline(path: string): Pick<MeasureResult, 'cells'> {
  const expected = 'a file that `threadwise measure --json` has written'
  let value: unknown
  try {
    value = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    checkOption(false, 'baseline', `${expected} (${(error as Error).message})`, path)
  }
  const { cells, noise } = (value ?? {}) as Partial<MeasureResult>
  const isResult = Array.isArray(cells) && cells.every((cell) => 'ratio' in cell && 'standardError' in cell)
  checkOption(isResult, 'baseline', expected, path)
  const isSound = noise?.verdict !== 'unusable'
  checkOption(isSound, 'baseline', `${expected} on a machine that was not too busy for a verdict`, path)
  return { cells: cells! }
}

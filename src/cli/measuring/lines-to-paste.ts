// The last lines of `measure` and `doctor`: what to write into the program, in the kind of module and the language of the file that was looked at.

import { dirname, extname, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { DoctorResult } from '../../measure/results/doctor-result.js'
import type { MeasureResult } from '../../measure/results/result.js'
import { isModulePackage } from '../../user/is-module-package.js'

interface Use {
  /** Absolute path of the task module. */
  module: string
  /** Absolute path of the file whose folder and kind of module the lines are for. */
  from: string
  task: string
  executor: string
  size: number | null
}

/** Empty where it stays inline, or nothing is settled. */
export function linesAfterMeasure({ advice, workload, noise }: MeasureResult): string {
  const settled = advice.filter(({ isSettled }) => isSettled)
  const moved = settled.filter(({ executor }) => executor !== 'inline' && executor !== 'bullmq')
  const [first] = moved
  if (noise.verdict === 'unusable' || first === undefined) return ''
  const module = fileURLToPath(workload.module)
  const isOne = settled.every(({ executor, size }) => executor === first.executor && size === first.size)
  const { executor, size } = isOne ? first : { executor: 'executor', size: null }
  const hint = isOne ? '' : ' (with --save, it follows threadwise.json)'
  const from = module.replace(/([\\/])\.[^\\/]+[\\/](?=[^\\/]+$)/, '$1') // beside .threadwise: nobody's app lies in that
  const use = { module, from, task: workload.variants[first.variant]!, executor, size }
  return `\nUse it${hint}\n${indented(linesOf(use))}`
}

/** Of the function with the largest share that can move; empty where it was tried: what that says stands. */
export function linesAfterDoctor({ functions, trial }: DoctorResult, isWritten: boolean): string {
  if (trial !== null) return ''
  const found = functions.find(({ verdict, task }) => verdict === 'move' && task !== null)
  if (!found?.task) return ''
  const caller = found.conditions.find(({ kind }) => kind === 'await-callers')?.file ?? found.file
  const { name, module } = found.task
  const use = { module: resolve(module), from: resolve(caller), task: name, executor: 'threads', size: null }
  const hint = isWritten ? '' : `; --write tasks makes a module of it that can be committed`
  return `\nUse it in ${caller}${hint}\n${indented(linesOf(use))}`
}

function linesOf({ module, from, task, executor, size }: Use): string[] {
  const way = relative(dirname(from), module).replaceAll('\\', '/')
  const path = `'${/^\.\.?\//.test(way) ? way : `./${way}`}'`
  const options = size === null ? '' : `, { ${executor === 'concurrent' ? 'concurrency' : 'size'}: ${size} }`
  if (isCommonJs(from))
    return [
      `const { ${executor} } = require('threadwise')`,
      `const pool = ${executor}(require.resolve(${path})${options})`,
      ...callOf(task),
    ]
  const isTyped = /^\.[cm]?ts$/.test(extname(from))
  return [
    `import { ${executor} } from 'threadwise'`,
    ...(isTyped ? [`import type * as Tasks from ${path}`] : []),
    `const pool = ${executor}${isTyped ? '<typeof Tasks>' : ''}(new URL(${path}, import.meta.url)${options})`,
    ...callOf(task),
  ]
}

const callOf = (task: string) => [
  `const result = await pool.tasks.${task}(...) // in place of ${task}(...)`,
  'await pool.close() // when the program ends',
]

const indented = (lines: readonly string[]) => lines.map((line) => `  ${line}\n`).join('')

/** As Node.js tells it: by the ending, or by the package. TypeScript has the syntax of ES modules in both. */
function isCommonJs(path: string): boolean {
  const ending = extname(path)
  if (ending === '.js' || ending === '.jsx') return !isModulePackage(dirname(path))
  return ending === '.cjs' || ending === '.cts'
}

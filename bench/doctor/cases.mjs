// Apps of known answer: what doctor must say of their functions. A function that is not named here must not be `move`.

/** In each of them `burn` can move, and where it is all of another function's time it has that one's share too. */
const burn = { burn: 'move' }

/**
 * `right`: function -> verdicts that are right; null: it could not be told, which is never wrong. `problem`: of the whole. `calls`: how often a
 * request calls each function. `mayMove`: others that are
 * rightly said to move. `untried`: tasks that the app cannot call in place of the function.
 */
export const cases = [
  { app: 'request.mjs', right: { audit: 'cannot', ...burn }, calls: { audit: 1, burn: 1 } },
  { app: 'closure.mjs', right: { countUp: 'cannot', ...burn }, calls: { countUp: 1, burn: 1 } },
  { app: 'memo.mjs', right: { translate: 'cannot', ...burn }, calls: { translate: 1, burn: 1 } },
  { app: 'changes.mjs', right: { addSums: 'move after change', ...burn }, calls: { addSums: 1, burn: 5 } },
  { app: 'random.mjs', right: { draw: 'cannot', ...burn }, calls: { draw: 1, burn: 1 } },
  { app: 'pbkdf2.mjs', right: { hashPassword: 'use the async version' }, calls: { hashPassword: 1 } },
  { app: 'async.mjs', right: { summarize: 'move', ...burn }, calls: { summarize: 1, burn: 1 } },
  { app: 'private.cjs', right: { scorePrices: 'move', weigh: 'move' }, calls: { scorePrices: 1, weigh: 5 }, mayMove: ['(anonymous)'], untried: ['task'] }, // prettier-ignore
  { app: 'method.mjs', right: { price: 'move after change', ...burn }, calls: { price: 1, burn: 1 } },
  { app: 'result.mjs', right: { prepare: 'move after change', ...burn }, calls: { prepare: 1, burn: 1 } },
  { app: 'package.mjs', right: { renderPages: 'move' }, calls: { renderPages: 1 } },
  { app: 'short.mjs', right: { mix: 'too short' }, calls: { mix: 20_000 } },
  // reduce() takes no promise, and calls burn.
  { app: 'bundled.ts', right: { totalOf: 'move', burn: 'cannot' }, calls: { totalOf: 1, burn: 5 }, mayMove: ['(anonymous)'], untried: ['task'] }, // prettier-ignore
  {
    app: 'objects.mjs',
    right: { report: 'move', totals: 'move', plain: 'move', later: 'move', sumParts: 'move', crunch: 'move', parts: 'cannot', ...burn }, // prettier-ignore
    calls: { report: 1, totals: 1, plain: 1, sumParts: 1, crunch: 1 },
    untried: ['burn'],
  },
  {
    // `stamped` under the condition `time`; emit() takes no promise, and calls onSum, which calls burn.
    app: 'stores.mjs',
    right: { ownCache: 'cannot', cached: 'cannot', fromEnvironment: 'cannot', stamped: 'move', announce: 'cannot', configured: 'cannot', onSum: 'cannot', burn: 'cannot' }, // prettier-ignore
    calls: { ownCache: 1, cached: 1, fromEnvironment: 1, stamped: 1, announce: 1, configured: 1, burn: 6 },
    untried: ['burn'],
  },
  {
    // reduce() takes no promise, and calls weigh.
    app: 'compiled/main.cjs',
    right: { totals: 'move after change', render: 'move', crunch: 'move', weigh: 'cannot' },
    calls: { totals: 1, render: 1, crunch: 1, weigh: 4 },
    untried: ['weigh'],
  },
  { app: 'framework.mjs', right: {}, calls: {} },
  { app: 'idle.mjs', right: {}, calls: {}, problem: 'idle' },
]

/** Of these it is measured how much slower they answer while they are profiled. */
export const slowed = ['private.cjs', 'package.mjs', 'framework.mjs']

// Apps of known answer: what doctor must say of their functions. A function that is not named here must not be `move`.

/** In each of them `burn` can move, and where it is all of another function's time it has that one's share too. */
const burn = { burn: 'move' }

/** `right`: function -> verdicts that are right; null: it could not be told, which is never wrong. `problem`: of the whole. */
export const cases = [
  { app: 'request.mjs', right: { audit: 'cannot', ...burn } },
  { app: 'closure.mjs', right: { countUp: 'cannot', ...burn } },
  { app: 'memo.mjs', right: { translate: 'cannot', ...burn } },
  { app: 'changes.mjs', right: { addSums: 'move after change', ...burn } },
  { app: 'random.mjs', right: { draw: 'cannot', ...burn } },
  { app: 'pbkdf2.mjs', right: { hashPassword: 'use the async version' } },
  { app: 'async.mjs', right: { summarize: 'move', ...burn } },
  { app: 'private.cjs', right: { scorePrices: 'move', weigh: 'move' } },
  { app: 'method.mjs', right: { price: 'move after change', ...burn } },
  { app: 'result.mjs', right: { prepare: 'move after change', ...burn } },
  { app: 'package.mjs', right: { renderPages: 'move' } },
  { app: 'short.mjs', right: { mix: 'too short' } },
  { app: 'bundled.ts', right: { totalOf: 'move', ...burn } },
  { app: 'framework.mjs', right: {} },
  { app: 'idle.mjs', right: {}, problem: 'idle' },
]

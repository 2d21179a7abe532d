// What doctor must say of each function of the corpus.
//
//   'move'               it can move. Who has to await it is told; another condition would be needless
//   { if: [...] }        it can move where these conditions hold, which have to be named
//   { unless: [...] }    moved as the app is, its answers change: no `move`, or one that names a condition of one of these kinds
//   'cannot'             no `move`, whatever is named
//
// `paths` are what doctor asks for. `requests` are what the original and the moved app have to answer in the same way, with a number `n` of
// each request beside: rare ones too, of which doctor saw none.
import others from './known-others.mjs'
import state from './known-state.mjs'

/** @type {Record<string, { start: string, paths: string[], requests: string[], right: Record<string, unknown> }>} */
export const known = { ...state, ...others }

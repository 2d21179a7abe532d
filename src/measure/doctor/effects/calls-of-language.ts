// What methods of the language do with what they belong to, what they are given, and what they call.

import type { Definition } from './definitions.js'
import { moved, NONE, union, type Origins } from './origins.js'

/** They give text, numbers or true and false, or a copy of all. */
const PLAIN_RESULT =
  /^(join|split|replace|replaceAll|trim\w*|to(String|Fixed|Precision|\w+Case|\w*String|JSON)|char(At|CodeAt)|codePointAt|(last)?[iI]ndexOf|includes|startsWith|endsWith|substr(ing)?|pad(Start|End)|repeat|localeCompare|test|has|every|some|find(Last)?Index|keys|get(Time|Date|Day|Month|FullYear|Hours|Minutes|Seconds|UTC\w+)|parse|stringify|structuredClone|isArray|match|push|unshift|normalize|round|floor|ceil|abs|max|min|sqrt|hypot|pow)$/
/** They give one of the elements. */
const ELEMENT = /^(find|findLast|at|pop|shift|get|next|deref)$/
/** They give a list of elements. */
const LIST =
  /^(filter|slice|concat|to(Sorted|Reversed|Spliced)|with|flat|splice|values|entries|sort|reverse|from|fromEntries|assign|freeze)$/

interface Caller {
  readonly name: string
  readonly owner: Origins
  readonly first: Origins
  /** Null: there is none. */
  readonly second: Origins | null
  /** All that is thrown anywhere. */
  readonly thrown: Origins
  readonly result: () => Origins
}

/** What it gives to a function that it is given to call. */
export function givenToCallback({ name, owner, first, second, thrown, result }: Caller): Origins[] {
  const element = moved(name === 'from' ? first : owner, -1)
  if (/^(then|catch)$/.test(name)) return [union(element, thrown)]
  if (/^reduce(Right)?$/.test(name)) return [union(second ?? element, result()), element]
  return [element, /^(to)?[sS]ort(ed)?$/.test(name) ? element : NONE, owner]
}

/** Functions, classes and objects of a list that it gives to a function. */
export function codeToCallback(name: string, owner: readonly Definition[]): (readonly Definition[])[] {
  return /^reduce(Right)?$/.test(name) ? [[], owner] : [owner]
}

interface LanguageCall {
  readonly name: string
  readonly owner: Origins
  readonly first: Origins
  /** Null: there is none. */
  readonly second: Origins | null
  readonly values: readonly Origins[]
  /** Results of its callbacks. */
  readonly callbacks: readonly Origins[]
  readonly isSure: boolean
}

export function resultOfLanguage(call: LanguageCall): Origins {
  const { name, owner, first, second, values, callbacks, isSure } = call
  if (PLAIN_RESULT.test(name)) return NONE
  if (/^(map|flatMap)$/.test(name)) return moved(union(...callbacks), 1)
  if (/^reduce(Right)?$/.test(name)) return union(second ?? moved(owner, -1), ...callbacks)
  if (ELEMENT.test(name)) return moved(owner, -1)
  if (/^(assign|freeze|seal)$/.test(name))
    return union(first, ...values.slice(1).map((each) => moved(moved(each, -2), 1)))
  if (/^(sort|reverse|fill|set|add|subarray|copyWithin)$/.test(name)) return owner
  if (LIST.test(name)) return moved(moved(union(owner, ...values.map((each) => moved(each, -1))), -1), 1)
  return isSure ? NONE : union(...values.map((each) => moved(each, -1))) // somebody else's: it may give what it was given
}

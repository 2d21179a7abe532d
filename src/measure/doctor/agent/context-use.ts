// Notices who takes something of the request that is being answered: what an AsyncLocalStorage holds is not there in another thread.

import { AsyncLocalStorage } from 'node:async_hooks'
import { fileURLToPath } from 'node:url'
import type { WatchedFunction } from './messages.js'
import { stackNow, urlOf } from './stack-now.js'

const MAX_FRAMES = 100

export interface ContextWatch {
  /** What we do ourselves within a call counts for nobody: a framework may have made Date.now() look into its storage, as Next.js does. */
  readonly unseen: <Result>(act: () => Result) => Result
  readonly end: () => void
}

export function watchContextUse(
  functions: readonly WatchedFunction[],
  onUse: (index: number) => void,
): ContextWatch {
  let isOurs = false
  const prototype = AsyncLocalStorage.prototype as { getStore: (this: unknown) => unknown }
  const { getStore } = prototype
  prototype.getStore = function (this: unknown) {
    const store = getStore.call(this)
    if (store === undefined || isOurs) return store
    const stack = stackNow(MAX_FRAMES)
    functions.forEach((each, index) => stack.some((site) => isWithin(site, each)) && onUse(index))
    return store
  }
  return {
    unseen(act) {
      const before = isOurs // a look may run code of the app that is looked at, too
      isOurs = true
      try {
        return act()
      } finally {
        isOurs = before
      }
    },
    end: () => void (prototype.getStore = getStore),
  }
}

/** By columns too: a compiler may write a whole program as one line. */
function isWithin(site: NodeJS.CallSite, { url, start, end }: WatchedFunction): boolean {
  const at = { line: (site.getLineNumber() ?? 0) - 1, column: (site.getColumnNumber() ?? 1) - 1 }
  return !isBefore(at, start) && isBefore(at, end) && bare(urlOf(site)) === bare(url)
}

function isBefore(one: WatchedFunction['start'], other: WatchedFunction['start']): boolean {
  return one.line < other.line || (one.line === other.line && one.column < other.column)
}

function bare(url: string): string {
  return url.startsWith('file://') ? fileURLToPath(url) : url
}

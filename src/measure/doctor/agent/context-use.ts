// Notices who takes something of the request that is being answered: what an AsyncLocalStorage holds is not there in another thread.

import { AsyncLocalStorage } from 'node:async_hooks'
import { fileURLToPath } from 'node:url'
import type { WatchedFunction } from './messages.js'
import { stackNow, urlOf } from './stack-now.js'

const MAX_FRAMES = 100

/** @returns ends it */
export function watchContextUse(
  functions: readonly WatchedFunction[],
  onUse: (index: number) => void,
): () => void {
  const prototype = AsyncLocalStorage.prototype as { getStore: (this: unknown) => unknown }
  const { getStore } = prototype
  prototype.getStore = function (this: unknown) {
    const store = getStore.call(this)
    if (store === undefined) return store
    const stack = stackNow(MAX_FRAMES)
    functions.forEach((each, index) => stack.some((site) => isWithin(site, each)) && onUse(index))
    return store
  }
  return () => void (prototype.getStore = getStore)
}

function isWithin(site: NodeJS.CallSite, { url, start, end }: WatchedFunction): boolean {
  const line = (site.getLineNumber() ?? 0) - 1
  return line >= start.line && line <= end.line && bare(urlOf(site)) === bare(url)
}

function bare(url: string): string {
  return url.startsWith('file://') ? fileURLToPath(url) : url
}

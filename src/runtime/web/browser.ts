// What of a browser is used here, in a page and in its workers. Its types are not among those of Node, and a server has none of it.

/** As the Worker of a browser. */
export interface WebWorker {
  /** Sends it a message. */
  postMessage(message: unknown, transfer: never[]): void
  /** Listens to its messages and errors. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- as browsers declare it, each type has events of its own
  addEventListener(type: string, listener: (event: any) => void): void
  /** Ends it. */
  terminate(): void
}

/** What becomes of a lock: https://www.w3.org/TR/web-locks/ */
export interface Locks {
  request(name: string, options: { readonly signal?: AbortSignal }, callback: () => unknown): Promise<unknown>
}

interface Browser {
  readonly Worker?: unknown
  readonly document?: unknown
  readonly crossOriginIsolated?: boolean
  readonly navigator?: {
    readonly hardwareConcurrency?: number
    readonly locks?: Locks
    readonly userAgent?: string
  }
}

/** The page, or the worker, that this code runs in. */
export const browser = globalThis as unknown as Browser

/** Undefined in a page that is not secure: only https and localhost are. */
export const locks = (): Locks | undefined => browser.navigator?.locks

/** See handshake.ts. */
export const mayLock = (): boolean => !/Firefox\//.test(browser.navigator?.userAgent ?? '')

export const hasSharedMemory = (): boolean =>
  browser.crossOriginIsolated === true && typeof SharedArrayBuffer === 'function'

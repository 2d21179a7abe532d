// The caller's own thread as a place for calls. The module is loaded here only once some function is worth it.

import type { RunOptions } from '../executor/executor.js'
import { LocalPool, type LocalPoolOptions } from '../pool/local-pool.js'

export class OwnThread {
  /** Undefined until the module is wanted here. */
  pool: LocalPool | undefined
  isReady = false
  readonly #options: Omit<LocalPoolOptions, 'limit'>

  constructor(options: Omit<LocalPoolOptions, 'limit'>) {
    this.#options = options
  }

  /** Where the module does not load here, though it does in workers, it stays there. */
  prepare(): void {
    if (this.pool) return
    this.pool = new LocalPool({ ...this.#options, limit: Infinity })
    this.pool.ready.then(
      () => (this.isReady = true),
      () => {},
    )
  }

  /** Only when it is ready. */
  submit(name: string, args: readonly unknown[], options?: RunOptions): Promise<unknown> {
    return this.pool!.submit(name, args, options)
  }
}

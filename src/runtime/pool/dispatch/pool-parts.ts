// What a pool consists of, for those of its parts that need several others: all places where a call can be, and who looks on.

import type { CallLedger } from '../calls/open-calls.js'
import type { Observer } from '../../engine/observer.js'
import type { SharedCalls } from '../calls/shared-calls.js'
import type { Retries } from './retries.js'
import type { WaitingCalls } from './waiting-calls.js'
import type { Workforce } from '../workers/worker-set.js'

export interface PoolParts {
  readonly calls: CallLedger
  readonly waiting: WaitingCalls
  readonly retries: Retries
  readonly workers: Workforce
  readonly shared: SharedCalls | undefined
  readonly observer: Observer
  /** Plans a look at what waits, and the sending of what was given. */
  readonly pumpLater: () => void
}

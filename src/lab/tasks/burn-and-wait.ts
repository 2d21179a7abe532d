// The task of the matrix experiment: some CPU, then a timer, as a request that computes and then asks a database.

import { setTimeout as delay } from 'node:timers/promises'

/** A chain of divisions, bound by latency, so that its speed hardly depends on the optimising compiler. */
function divide(times: number): number {
  let value = 0.5
  for (let i = 0; i < times; i++) value = 1 / (value + 1.0001)
  return value
}

export async function burnAndWait(divisions: number, waitMs: number): Promise<number> {
  const value = divide(divisions)
  await delay(waitMs)
  return value
}

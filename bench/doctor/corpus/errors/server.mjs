import { isStatusError } from 'status-errors'
import { serve } from '../serve.cjs'
import { BadRow, OutOfStock, TOO_LARGE } from './errors.mjs'
import { allowed, fits, limited, paid, parsed, reserve } from './work.mjs'

function statusOf(error) {
  if (error instanceof OutOfStock) return 409
  if (error instanceof BadRow) return 422
  if (error === TOO_LARGE) return 413
  return isStatusError(error) ? error.status : 500
}
const told = async (work) => {
  try {
    return await work()
  } catch (error) {
    return { status: error instanceof RangeError ? error.status : statusOf(error), message: error.message }
  }
}
const count = (query, n) => (query.rare ? 11 : n % 5)
serve({
  '/reserve': (query, n) => told(async () => reserve({ sku: 'a', count: count(query, n) })),
  '/paid': (query, n) => told(async () => paid({ used: count(query, n) })),
  '/fits': (query, n) => told(async () => fits(Array(count(query, n)).fill(1))),
  '/allowed': (query, n) => told(async () => allowed({ used: count(query, n) })),
  '/parsed': (query, n) => told(async () => parsed([`a=${n % 5}`, query.rare ? 'b' : 'b=2'])),
  '/limited': (query, n) => told(async () => limited(count(query, n))),
})

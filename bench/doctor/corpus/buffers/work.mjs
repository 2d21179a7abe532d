import { spin } from '../spin.cjs'

const COUNTS = new Uint32Array(8)
const SCRATCH = Buffer.alloc(16)
const TABLE = Uint8Array.from({ length: 256 }, (_, at) => (at * 7) % 251)

export function viewed(order) {
  const view = COUNTS.subarray(2, 4)
  if (order.urgent) view[0] += 1
  return { count: order.urgent ? COUNTS[2] : 0, sum: spin(order.net) }
}
export function copied(order) {
  if (order.urgent) Buffer.from(`n${order.net}`).copy(SCRATCH)
  return {
    text: order.urgent ? SCRATCH.toString('latin1', 0, 2) : SCRATCH.toString('latin1', 4, 6),
    sum: spin(order.net),
  }
}
export function listed() {
  if (arguments[0].urgent) arguments[0].isListed = true
  return { net: arguments[0].net, sum: spin(arguments[0].net) }
}
export function mapped(bytes) {
  return { bytes: bytes.map((each) => TABLE[each]), sum: spin(bytes.length) }
}
export function packed(order) {
  const bytes = Buffer.alloc(8)
  bytes.writeUInt32BE(order.net, 0)
  return { text: bytes.toString('hex'), sum: spin(order.net) }
}

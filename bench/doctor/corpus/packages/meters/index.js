// A registry of counters, and one of the last things that were put there.
const registry = new Map()
const SHARED = Symbol.for('meters.shared')
globalThis[SHARED] ??= { unit: 'ms' }
class Meter {
  #value = 0
  constructor(name) {
    this.name = name
    registry.set(name, this)
  }
  add(by = 1) {
    this.#value += by
  }
  get value() {
    return this.#value
  }
}
exports.Meter = Meter
exports.get = (name) => registry.get(name)
exports.format = (value) => `${value} ${globalThis[SHARED].unit}`
exports.setUnit = (unit) => void (globalThis[SHARED].unit = unit)

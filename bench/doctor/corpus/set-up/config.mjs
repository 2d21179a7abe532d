export const config = { vat: { DE: 0.19 }, round: 2 }
export const tiers = { gold: { discount: 0.2 }, plain: { discount: 0 } }
export const formats = { text: (word) => word.toUpperCase() }
export const LABELS = Object.freeze({ a: 'first', b: 'second' })

// What each worker can do.
export const nothing = () => {}
export const echo = (value) => value
export const sizeOf = (value) => value.length ?? value.byteLength ?? value.width
export const rows = (count) => Array.from({ length: count }, (_, i) => row(i))
export const row = (i) => ({ id: i, name: `row ${i}`, price: i * 1.5, tags: ['a', 'b'], on: i % 2 === 0 })

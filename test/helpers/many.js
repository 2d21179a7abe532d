// Many of a thing at once.

/** 0, 1, 2 ... */
export const numbers = (count) => Array.from({ length: count }, (_, i) => i)

/** Makes as many calls, each with its number, and gives their results. */
export const many = (count, call) => Promise.all(numbers(count).map((i) => call(i)))

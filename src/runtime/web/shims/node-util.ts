// In place of node:util.

const tagOf = (value: unknown) => Object.prototype.toString.call(value)

export const types = { isNativeError: (value: unknown): boolean => tagOf(value) === '[object Error]' }

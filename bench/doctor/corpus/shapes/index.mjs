export { default as convert } from './convert.mjs'
export * from './tax.mjs'

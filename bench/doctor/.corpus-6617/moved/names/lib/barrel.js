export * from './shapes.js'
export { rates as table } from './rates.js'

import { spin } from '../spin.cjs'
export default (value) => ({ inches: value / 2.54, sum: spin(value) })

import { spin } from '../spin.cjs'

export const settings = { unit: 'm', factor: 1 }
export const scaled = (value) => ({ text: `${value * settings.factor} ${settings.unit}`, sum: spin(value) })
export const plain = (value) => ({ text: `${value}`, sum: spin(value) })

// The tasks, written as only a bundler reads them.
import { Sign } from '@/sign'
import data from './data.json'
import unit from './unit.txt?raw'

export const total = (prices: number[]): string =>
  `${prices.reduce((sum, price) => sum + price, data.start)} ${unit.trim()}${import.meta.env.MODE === 'test' ? '' : Sign.None}`

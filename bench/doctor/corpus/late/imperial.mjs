import { settings } from './work.mjs'
Object.assign(settings, { unit: 'ft', factor: 3 })

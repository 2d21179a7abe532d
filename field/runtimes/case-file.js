// The program that a runtime runs: one file of the contract suite.
import { start } from './node-test.js'

await import(new URL(process.argv[2], import.meta.url).href)
await start()

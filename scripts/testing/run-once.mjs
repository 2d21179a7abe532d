// Runs one test file and prints what became of it as JSON: scripts/hunt.mjs starts it where it likes, in a process that it can limit and stop.
import { Readable } from 'node:stream'
import { spec } from 'node:test/reporters'
import { runFile } from './run-files.mjs'

const { events, failed, crashed, ms } = await runFile(process.argv[2])
const output = failed.length > 0 ? (await Readable.from(events).compose(new spec()).toArray()).join('') : ''
console.log(JSON.stringify({ failed, crashed, ms, output }))

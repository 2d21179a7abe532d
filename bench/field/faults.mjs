// A day of faults on services in the background, see test/helpers/fault-day.js: until the time is over, or a service is down and not known to be. Linux;
// as root with a disk that gets full, with libfaketime (apt-get install libfaketime) with clocks that jump.
//
//   node bench/field/faults.mjs [--minutes 15] [--seed 7]
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { faultDay } from '../../test/helpers/fault-day.js'
import { randomNumbers } from '../../test/helpers/random-numbers.js'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '15' },
    seed: { type: 'string', default: String(Date.now() % 1e6) },
  },
})
const folder = mkdtempSync(join(tmpdir(), 'threadwise-faults-'))
console.log(`seed ${values.seed}`)
const last = []
const onFault = (name) => {
  last.push(name)
  last.splice(0, last.length - 12)
}
const random = randomNumbers(Number(values.seed))
const { counts, wrong, processes, reloads } = await faultDay({ folder, random, ms: Number(values.minutes) * 60_000, onFault }) // prettier-ignore
for (const [name, count] of Object.entries(counts).sort(([, a], [, b]) => b - a)) console.log(`  ${String(count).padStart(5)}  ${name}`) // prettier-ignore
console.log(`${Object.values(counts).reduce((sum, count) => sum + count, 0)} faults, ${reloads} reloads`)
for (const text of wrong) console.log(`WRONG ${text}`)
if (wrong.length > 0)
  console.log(`the last faults: ${last.join(', ')}; what it left: ${folder}\n${processes}`)
else rmSync(folder, { recursive: true, force: true })
process.exitCode = wrong.length > 0 ? 1 : 0

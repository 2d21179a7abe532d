// Checks the verdicts of doctor on a corpus of small apps, each with traps of a kind, and moves what it says can move.
//
//   node bench/doctor-corpus.mjs                    every app (about 25 minutes)
//   node bench/doctor-corpus.mjs errors identity    these apps
//   node bench/doctor-corpus.mjs --no-move          verdicts alone
//   node bench/doctor-corpus.mjs --json out.json    what was found
//
// What is moved answers the same 500 requests as the original, rare ones too. The exit code is 1 unless no function is wrongly said to move,
// 85 % of those that can move are found, and all answers are the same. The answers that are right: doctor/corpus/known.mjs.
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { removeCorpus, tryApp } from './doctor/try-app.mjs'
import { known } from './doctor/corpus/known.mjs'

const MIN_FOUND = 0.85
const options = { json: { type: 'string' }, 'no-move': { type: 'boolean' }, keep: { type: 'boolean' } }
const { values, positionals } = parseArgs({ allowPositionals: true, options })
const names = Object.keys(known).filter((name) => positionals.length === 0 || positionals.includes(name))
process.on('exit', () => values.keep || removeCorpus())

const tried = []
for (const name of names) {
  const found = await tryApp(name, { moves: !values['no-move'] })
  tried.push(found)
  tell(found)
  if (values.json)
    writeFileSync(values.json, `${JSON.stringify({ node: process.version, tried }, null, 2)}\n`)
}
const verdicts = tried.flatMap(({ verdicts }) => verdicts)
const falseMoves = verdicts.filter(({ isFalseMove }) => isFalseMove)
const movable = verdicts.filter(({ isMovable }) => isMovable)
const missed = movable.filter(({ verdict }) => verdict !== 'move')
const moved = tried.flatMap(({ moved }) => moved ?? [])
const checks = [
  { text: `${falseMoves.length} of ${verdicts.length} functions are wrongly said to move`, holds: falseMoves.length === 0 }, // prettier-ignore
  { text: `${movable.length - missed.length} of ${movable.length} that can move are found`, holds: movable.length - missed.length >= MIN_FOUND * movable.length }, // prettier-ignore
  { text: `${moved.length} functions were moved, and ${moved.filter(({ apart }) => apart > 0).length} apps answered otherwise`, holds: moved.every(({ apart }) => apart === 0) }, // prettier-ignore
]
for (const { text, holds } of checks) console.log(`${holds ? 'holds' : 'FAILS'}  ${text}`)
process.exitCode = checks.every(({ holds }) => holds) ? 0 : 1

function tell({ name, seconds, verdicts, problem, moved, untold }) {
  console.log(`${name} (${seconds.toFixed(0)} s)${problem ? ` PROBLEM ${problem}` : ''}`)
  for (const {
    name: called,
    right,
    verdict,
    isFalseMove,
    isMovable,
    needless,
    conditions,
    reasons,
  } of verdicts) {
    const mark = isFalseMove ? 'FALSE ' : isMovable && verdict !== 'move' ? 'missed' : 'right '
    const kinds = conditions.map(({ kind }) => kind)
    const why = verdict === 'move' ? [...new Set(kinds)].join(', ') : reasons.join('; ')
    console.log(`  ${mark} ${called} (${JSON.stringify(right)}): ${verdict}${why ? `, ${why}` : ''}${needless.length > 0 ? ` - needless: ${needless.join('; ')}` : ''}`) // prettier-ignore
  }
  for (const text of untold) console.log(`  ${text}`)
  if (moved?.length) console.log(`  moved ${moved.map(({ task }) => task).join(', ')}: ${moved[0].told}`)
}

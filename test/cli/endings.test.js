// However a task behaves, and whenever somebody stops it: a measurement ends within its budget and one call, says what it knows, and
// leaves no process, no cgroup and no folder.
import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { describe, test } from 'node:test'
import { cgroupFolders } from '../helpers/cgroups.js'
import { testFolder } from '../helpers/files.js'
import { livingWith } from '../helpers/processes.js'
import { fixture, measuredCodes, start, stderrSays, undecided } from '../helpers/program.js'

const skip = existsSync('/proc/self/environ') ? false : 'looks for processes in /proc'
const BUDGET = 4
/** Seconds that the start of the program, and the end of its trials, take on a machine that is busy. */
const MORE = 20
let runs = 0

/** Starts the program with a folder for temporary files, and a variable that all of its processes inherit. */
function startMarked(t, args) {
  const marker = `TW_ENDING_${process.pid}_${++runs}`
  const path = testFolder(t)
  const started = performance.now()
  const { child, ended } = start(args, { env: { [marker]: '1', TMPDIR: path('.') } })
  async function end() {
    const result = await ended
    const seconds = (performance.now() - started) / 1000
    assert.deepEqual(await livingWith(`${marker}=1`), [], 'no process is left')
    assert.deepEqual(readdirSync(path('.')), [], 'no folder is left')
    const cgroups = cgroupFolders().filter((name) => name.startsWith(`threadwise-${child.pid}-`))
    assert.deepEqual(cgroups, [], 'no cgroup is left')
    return { ...result, seconds }
  }
  return { child, end }
}

/** What is to be measured gets the time for it on any machine, and ends after a round. */
const oneRound = { budget: 40, more: ['--rounds', '1'] }
const measured = (check = () => {}) => ({ ...oneRound, codes: measuredCodes, check })
const refused = (reason) => ({ codes: [1], reason })
/** Refused since it ended, not since its time was up. */
const byItself = (reason) => ({ ...refused(reason), budget: 40 })
const cellOf = (result, name) => result.cells.find(({ executor }) => executor === name)

/** task, its arguments, seconds of one call, and what is told */
const table = [
  ['sortInPlace', [[3, 1, 2]], 0, measured(({ workload, cells }) => {
    assert.equal(workload.scout.sortInPlace.changesInput, true)
    assert.ok(cells.every(({ failed }) => failed === null))
  })],
  ['pieces', [5], 0, measured(({ workload, cells }) => {
    assert.equal(workload.scout.pieces.isLazy, true)
    assert.ok(cells.every(({ failed }) => failed === null))
  })],
  ['iterator', [[1, 2]], 0, measured(({ workload }) => assert.equal(workload.scout.iterator.isLazy, true))],
  ['aFunction', [], 0, measured((result) => {
    assert.equal(cellOf(result, 'inline').failed, null)
    assert.match(cellOf(result, 'threads').failed, /function/)
  })],
  ['leaks', [], 0, measured(({ cells }) => assert.ok(cells.every(({ failed }) => failed === null)))],
  ['endsLater', [1500], 0, { ...oneRound, codes: [0, 1, 3], check: ({ cells }) => {
    const failures = cells.flatMap(({ failed }) => failed ?? [])
    assert.ok(failures.length > 0 && !failures.some((failed) => /time was up/.test(failed)), failures.join())
  } }],
  ['waits', [1500], 1.5, { codes: [0, 1, 3] }],
  ['waits', [60_000], 60, refused(/did not end within 2 s: either it never does, or it needs more time than --budget/)],
  ['refuses', [], 0, byItself(/every call of refuses failed: TypeError: no such table/)],
  ['never', [], 0, refused(/did not end within 2 s/)],
  ['forever', [], 0, refused(/did not end within 2 s/)],
  ['killed', [], 0, byItself(/was ended by SIGKILL/)],
] // prettier-ignore

describe('a measurement ends in time and leaves nothing', { skip }, () => {
  for (const [task, args, callSeconds, { codes, check, reason, budget = BUDGET, more = [] }] of table) {
    test(`${task}(${JSON.stringify(args).slice(1, -1)})`, async (t) => {
      const what = [
        'measure',
        fixture('measured/endings.js'),
        '--task',
        task,
        '--args',
        JSON.stringify([args]),
      ]
      const how = [
        '--budget',
        String(budget),
        ...more,
        '--executors',
        'threads',
        '--sizes',
        '1',
        '--json',
        '-',
      ]
      const { code, stdout, stderr, seconds } = await startMarked(t, [...what, ...how]).end()
      assert.ok(codes.includes(code), `${code}: ${stderr}`)
      const oneCall = Math.min(callSeconds, budget)
      assert.ok(seconds < budget + oneCall + MORE, `it took ${seconds.toFixed(1)} s`)
      if (reason) assert.match(stderr, reason)
      assert.doesNotMatch(stderr, /\n\s+at /, 'no stack')
      if (code !== 1) check?.(JSON.parse(stdout))
    })
  }
})

describe('Ctrl-C ends it at every stage and leaves nothing', { skip }, () => {
  const task = ['measure', fixture('measured/tasks.js'), '--task', 'burn', '--executors', 'threads', ...undecided] // prettier-ignore
  const server = ['measure', '--server', fixture('servers/measured/sleeping.js'), '--quick', '--instances', '1'] // prettier-ignore
  const stages = [
    [task, /Looking at the machine/],
    [task, /: starting/],
    [task, /: warming up/],
    [task, /: comparing/],
    [server, /Looking at the machine/],
    [server, /: starting/],
    [server, /: comparing/],
    [[...server, '--rounds', '1'], /: timing answers/],
  ]
  for (const [args, stage] of stages) {
    test(`${args === task ? 'task' : 'server'}, ${stage.source}`, async (t) => {
      const { child, end } = startMarked(t, args)
      await stderrSays(child, stage)
      const stopped = performance.now()
      child.kill('SIGINT')
      const { code, stdout, stderr } = await end()
      assert.equal(code, 130, stderr)
      assert.ok(performance.now() - stopped < 1000 * MORE)
      assert.ok(
        stdout === '' || /ended before everything was measured/.test(stdout.replaceAll('\n', ' ')),
        stdout,
      )
      assert.doesNotMatch(stderr, /\n\s+at |TW_ERR/)
    })
  }
})

// Runs tests on what is built: node scripts/test.mjs [--build] [--no-retry] [--file-ms=MS] [LANE | all | PATH ...]. Without a lane or path it is
// the lane `fast`. `all`: fast, system and soak. A file that fails runs once more, alone, when the others are done; with --no-retry it does not.
// --file-ms: what a file may take.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { spec } from 'node:test/reporters'
import { fileURLToPath } from 'node:url'
import { ARITHMETIC } from './testing/arithmetic.mjs'
import { byChange } from './testing/by-change.mjs'
import { tellFlaky } from './testing/flaky.mjs'
import { endLeftBehind, markChildren } from './testing/left-behind.mjs'
import { runFiles } from './testing/run-files.mjs'

/** Files for each CPU that wait half of their time or more, as what runs doctor and measures does too; and of those that wait less, such as browsers. */
const WAITING = 2
const COMPUTING = 1.5

/**
 * Folders of test/. `executors` are those on which the contract suite runs in this lane, `filesPerCpu` says how many files run side by
 * side, by default one. A lane may have parts that differ in these.
 */
const LANES = {
  fast: {
    folders: ['contract', 'types', 'rules', 'unit', 'scripts'],
    executors: ['inline', 'concurrent', 'threads'],
    filesPerCpu: WAITING,
  },
  system: [
    {
      folders: ['contract'],
      executors: ['processes', 'threads by message', 'adaptive', 'bullmq', 'bullmq on PostgreSQL'],
      filesPerCpu: WAITING,
    },
    { folders: ['bullmq', 'serve', 'docs', 'package'], filesPerCpu: WAITING },
    { folders: ['web', 'slow'], filesPerCpu: COMPUTING },
    { folders: ['cli'], filesPerCpu: WAITING },
  ],
  soak: {
    folders: ['soak', 'models', 'faults'],
    filesPerCpu: COMPUTING,
  },
  /** For other versions of Node. */
  versions: {
    folders: ['contract'],
    without: ARITHMETIC,
    filesPerCpu: WAITING,
  },
}

/** Unit tests that take seconds: in the lane of the system, under this name. */
const SLOW = [
  'unit/lab/experiments/posts.test.js',
  'unit/lab/runner',
  'unit/lab/uploads',
  'unit/measure/decision/simulation.test.js',
  'unit/measure/doctor/agent/v8-session.test.js',
  'unit/measure/doctor/send-requests.test.js',
  'unit/measure/doctor/try-moves.test.js',
  'unit/measure/load/latency.test.js',
  'unit/measure/load/load.test.js',
  'unit/measure/measure-verdicts.test.js',
  'unit/measure/plan/check-plan.test.js',
  'unit/measure/plan/model/simulate.test.js',
  'unit/measure/plan/plan.test.js',
  'unit/measure/trial/quota-windows.test.js',
  'unit/measure/trial/trial-process.test.js',
  'unit/runtime/threads/thread-output.test.js',
  'unit/runtime/wire/codec/memory.test.js',
  'unit/serve/apps/watch-folder.test.js',
  'unit/serve/apps/watch-listed.test.js',
]

/** These measure what others would disturb: each runs when no other does. All others run side by side. */
const ALONE = [
  ...['cli/doctor.test.js', 'cli/doctor-errors.test.js', 'serve/scaling.test.js', 'web/measure.test.js'],
  'unit/measure/load/latency.test.js',
]

/** These take minutes. Of files as near to a change they are the first, so that no CPU waits for one of them at the end. */
const LONG = [
  'web/contract-in-webkit.test.js',
  'web/contract-in-firefox.test.js',
  'web/contract-in-chromium.test.js',
  'cli/compare.test.js',
  'cli/doctor-secrets.test.js',
  'cli/doctor-write.test.js',
  'bullmq/failures.test.js',
  'models/queue-model.test.js',
]

/** Milliseconds for all files together: what takes longer hangs. */
const RUN_TIMEOUT = 75 * 60_000
const root = fileURLToPath(new URL('..', import.meta.url))

/** Of a path: those that the caller chooses, by default all. */
const asked = process.env.THREADWISE_TEST_EXECUTORS
const isOption = (word) => word.startsWith('--')
const words = process.argv.slice(2)
if (words.includes('--build')) build()
markChildren()
/** Processes that tests have left behind. */
const left = []
const { events, told } = runFiles(await inGroups(plan(words.filter((word) => !isOption(word)))), {
  again: !words.includes('--no-retry'),
  signal: AbortSignal.timeout(RUN_TIMEOUT),
  root,
  fileMs: words.flatMap((word) => /^--file-ms=(\d+)$/.exec(word)?.slice(1) ?? []).map(Number)[0],
  async beforeAgain(isLate) {
    const ended = await endLeftBehind()
    if (!isLate) left.push(...ended)
    else for (const each of ended) console.error(`Left behind, where a file ran out of time: ${each}`)
  },
})
for await (const text of Readable.from(events).compose(new spec())) process.stdout.write(text)
await tellFlaky(told.flaky, root)
left.push(...(await endLeftBehind()))
for (const each of left) console.error(`A test has left this process behind: ${each}`)
if (told.isRed || left.length > 0) process.exitCode = 1

function build() {
  const { status } = spawnSync(process.execPath, [join(root, 'scripts/build.mjs')], { stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}

/** What runs one after the other: files that run side by side, or one that runs alone. */
function plan(names) {
  const wanted =
    names.length === 0
      ? ['fast']
      : names.flatMap((name) => (name === 'all' ? ['fast', 'system', 'soak'] : name))
  const lanes = wanted.flatMap((name) => LANES[name] ?? [])
  const paths = wanted.filter((name) => !(name in LANES))
  const parts = [
    ...lanes.map(({ folders, without = [], ...how }) => {
      const left = without.flatMap(filesIn)
      return { ...how, files: folders.flatMap(filesIn).filter((file) => !left.includes(file)) }
    }),
    {
      files: paths.flatMap((path) => testFiles(resolve(root, path))),
      ...(paths.every((path) => /^test\/contract\b/.test(path)) && { filesPerCpu: WAITING }),
    },
  ]
  const alone = ALONE.flatMap(filesIn)
  const isAlone = (file) => alone.includes(file)
  return [
    ...together(
      parts.map(({ files, ...how }) => ({ ...how, files: files.filter((file) => !isAlone(file)) })),
    ),
    ...parts.flatMap(({ files, ...how }) => files.filter(isAlone).map((file) => ({ ...how, files: [file] }))),
  ].filter(({ files }) => files.length > 0)
}

/** Parts that run in the same way are one, also those of several lanes: at the end of each, CPUs wait for its last file. */
function together(parts) {
  const wholes = new Map()
  for (const { files, ...how } of parts) {
    const key = JSON.stringify(how)
    wholes.set(key, { ...how, files: [...(wholes.get(key)?.files ?? []), ...files] })
  }
  return [...wholes.values()]
}

function filesIn(name) {
  const slow = SLOW.flatMap((path) => testFiles(join(root, 'test', path)))
  if (name === 'slow') return slow
  return testFiles(join(root, 'test', name)).filter((file) => name !== 'unit' || !slow.includes(file))
}

function testFiles(path) {
  if (!existsSync(path)) {
    console.error(`${path} does not exist. The lanes are ${Object.keys(LANES).join(', ')} and all.`)
    process.exit(1)
  }
  if (statSync(path).isFile()) return [path]
  return readdirSync(path)
    .flatMap((name) => testFiles(join(path, name)))
    .filter((file) => file.endsWith('.test.js'))
}

/** The order within a part is by what was changed last: a run that fails fails early. */
async function inGroups(parts) {
  const { cpuBudget } = await import('threadwise') // os.availableParallelism() leaves out the quota of a container
  const cpus = Math.max(1, Math.floor(cpuBudget().cpus))
  return parts.map(({ executors, filesPerCpu = 1, files }) => ({
    files: byChange(longFirst(files), root),
    atOnce: Math.floor(cpus * filesPerCpu),
    prepare: () => choose(executors?.join() ?? asked),
  }))
}

function longFirst(files) {
  const long = LONG.flatMap(filesIn)
  return files.toSorted((a, b) => long.includes(b) - long.includes(a))
}

/** Test files inherit it. */
function choose(executors) {
  if (executors) process.env.THREADWISE_TEST_EXECUTORS = executors
  else delete process.env.THREADWISE_TEST_EXECUTORS
}

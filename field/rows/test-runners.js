// Test runners: a suite on the thread of the test, on threads and on processes, with fake timers. The runner must end by itself, and the code
// that only workers run is covered.

import { readFileSync } from 'node:fs'

/** What c8 and Node print of tasks.js: all of its lines and branches were run, so also both ends of `where`. */
const covered = /tasks\.[jt]s +\| +100(\.00)? +\| +100(\.00)? +\|/
const jest = 'node --experimental-vm-modules node_modules/jest/bin/jest.js'
/** Fails if a handle is open: then Jest says so, and does not end. */
const noHandles = (command) => `${command} --detectOpenHandles > out.txt 2>&1 || { cat out.txt; exit 1; }`
const quiet = '! grep -iE "open handle|did not exit" out.txt'
const c8 = (command) => `c8 --all --include 'tasks.*' ${command}`
const note = 'nothing'

/** @type {import('../run-row.js').Row[]} */
const withJest = [
  {
    name: 'jest-esm',
    setup: 'Jest, ES modules',
    app: 'jest-esm',
    packages: ['jest', '@jest/globals', 'c8'],
    build: [noHandles(jest), quiet],
    run: c8(jest),
    prints: covered,
    note: '`node --experimental-vm-modules`, as Jest itself',
  },
  {
    name: 'jest-babel',
    setup: 'Jest, CommonJS by Babel',
    app: 'jest-babel',
    packages: ['jest', '@jest/globals', '@babel/preset-env', 'c8'],
    build: [noHandles('jest'), quiet],
    run: c8('jest'),
    prints: covered,
    note: "`join(__dirname, 'tasks.js')`, and `inline(() => import('./tasks.js'))`",
  },
  {
    name: 'jest-fake-timers-everywhere',
    setup: 'Jest, CommonJS, with `fakeTimers: { enableGlobally: true }`',
    app: 'jest-babel',
    packages: ['jest', '@jest/globals', '@babel/preset-env'],
    files: { 'jest.config.js': 'module.exports = { fakeTimers: { enableGlobally: true } }\n' },
    run: 'jest 2>&1',
    prints: /Tests: +5 passed, 5 total/,
    note,
  },
  {
    name: 'jest-ts-jest',
    setup: 'Jest, TypeScript by ts-jest',
    app: 'jest-typescript',
    packages: ['jest', '@jest/globals', 'ts-jest', 'typescript@5', '@types/node@24', 'c8'],
    node: 24,
    build: [noHandles('jest'), quiet],
    run: c8('jest'),
    prints: covered,
    note: "`join(__dirname, 'tasks.ts')`, which workers run by Node itself, and `inline(() => import('./tasks'))`",
  },
  {
    name: 'jest-swc',
    setup: 'Jest, TypeScript by SWC',
    app: 'jest-typescript',
    packages: ['jest', '@jest/globals', '@swc/jest', '@swc/core'],
    node: 24,
    files: { 'jest.config.js': "module.exports = { transform: { '\\\\.ts$': '@swc/jest' } }\n" },
    run: 'jest 2>&1',
    prints: /Tests: +5 passed, 5 total/,
    note: 'the same',
  },
]

const vitest = (pool) => ({
  name: `vitest-${pool}`,
  setup: `Vitest, \`pool: '${pool}'\``,
  app: 'vitest',
  packages: ['vitest', 'c8'],
  node: 24,
  build: [`vitest run --pool=${pool}`],
  run: c8(`vitest run --pool=${pool}`),
  prints: covered,
  note: 'nothing; coverage of workers by `c8 vitest run`',
})

const inPage = readFileSync(new URL('../apps/imitated-page/values.test.js', import.meta.url), 'utf8')
/** For Vitest, whose tests are ES modules. */
const imported = inPage.replace(/const (.*) = require\((.*)\)/g, (_, names, name) =>
  names.startsWith('{') ? `import ${names} from ${name}` : `import * as ${names} from ${name}`,
)
const page = { app: 'imitated-page', note }

/** @type {import('../run-row.js').Row[]} */
const imitatedPages = [
  {
    ...{ name: 'jest-jsdom', setup: 'Jest, `jsdom`', ...page },
    packages: ['jest', 'jest-environment-jsdom'],
    run: 'jest --env=jsdom 2>&1',
    prints: /Tests: +12 passed, 12 total/,
  },
  ...['jsdom', 'happy-dom'].map((environment) => ({
    ...{ name: `vitest-${environment}`, setup: `Vitest, \`${environment}\``, ...page },
    packages: ['vitest', environment],
    node: 24,
    files: { 'values.test.mjs': imported },
    run: `vitest run --globals --environment=${environment} values.test.mjs`,
    prints: /12 passed/,
  })),
]

/** @type {import('../run-row.js').Row[]} */
export const testRunners = [
  ...withJest,
  ...['threads', 'forks', 'vmThreads', 'vmForks'].map(vitest),
  {
    name: 'vitest-typescript',
    setup: 'Vitest, TypeScript as only Vite reads it',
    app: 'vitest-typescript',
    packages: ['vitest', 'unplugin'],
    node: 24,
    run: 'vitest run',
    prints: /4 passed/,
    note: '`threadwise/unplugin`',
  },
  ...imitatedPages,
  {
    name: 'node-test',
    setup: 'node:test',
    app: 'node-test',
    build: ['node --test'],
    run: 'node --test --experimental-test-coverage',
    prints: covered,
    note,
  },
  {
    name: 'node-test-one-process',
    setup: 'node:test, `--test-isolation=none`',
    app: 'node-test',
    packages: ['c8'],
    node: 24,
    build: ['node --test --test-isolation=none'],
    run: c8('node --test --test-isolation=none'),
    prints: covered,
    note: 'nothing; coverage of workers by `c8`',
  },
  {
    name: 'mocha',
    setup: 'Mocha, and Sinon',
    app: 'mocha',
    packages: ['mocha', 'sinon', 'c8'],
    build: ["mocha '*.test.js'"],
    run: c8("mocha '*.test.js'"),
    prints: covered,
    note,
  },
]

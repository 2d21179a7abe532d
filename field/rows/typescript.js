// TypeScript: as Node runs it, by loaders, and compiled. An error of a task names the line of the source.

const kinds = ['inline', 'concurrent', 'threads', 'processes', 'adaptive']
/** What main.ts prints where all executors work. */
const prints = new RegExp(`^${kinds.map((kind) => `${kind} 42 tasks.ts:13\n`).join('')}$`, 'm')

const esm = { app: 'typescript-esm', prints }
const commonJs = { app: 'typescript-commonjs', prints }
const typescript = ['typescript@5', '@types/node@22']
const config = (module, moduleResolution, more = {}) => ({
  'tsconfig.json': JSON.stringify({
    compilerOptions: {
      ...{ target: 'es2022', module, moduleResolution, strict: true, sourceMap: true, outDir: 'dist' },
      ...{ types: ['node'], ...more },
    },
    include: ['*.ts'],
  }),
})
/** Relative imports name the source. */
const rewrite = { rewriteRelativeImportExtensions: true }
const build = ['tsc']
const run = 'node --enable-source-maps dist/main.js'
const maps = '`--enable-source-maps`, for the lines of the source'

/** @type {import('../run-row.js').Row[]} */
const byNode = [22, 24, 26].map((node) => ({
  ...esm,
  name: `type-stripping-${node}`,
  setup: `Node ${node} itself, ES modules`,
  node,
  run: `node main.ts`,
  note: 'nothing; `./tasks.js` finds `tasks.ts`',
}))

/** @type {import('../run-row.js').Row[]} */
const byTsx = [20, 22, 24, 26].map((node) => ({
  ...esm,
  name: `tsx-${node}`,
  setup: `tsx on Node ${node}`,
  packages: ['tsx'],
  node,
  run: 'tsx main.ts',
  note: 'nothing',
}))

/** @type {import('../run-row.js').Row[]} */
const byHooks = [
  {
    ...commonJs,
    name: 'tsx-commonjs',
    setup: 'tsx, CommonJS',
    packages: ['tsx'],
    node: 20,
    run: 'node --require tsx/cjs --import tsx main.ts',
    note: 'nothing',
  },
  {
    ...commonJs,
    name: 'ts-node',
    setup: 'ts-node, CommonJS',
    packages: ['ts-node', ...typescript],
    node: 20,
    files: config('commonjs', 'node10'),
    run: 'node --require ts-node/register main.ts',
    note: "`--require ts-node/register`: a hook that the program registers itself is not its workers'",
  },
  {
    ...esm,
    name: 'ts-node-esm',
    setup: 'ts-node, ES modules',
    packages: ['ts-node', ...typescript],
    node: 20,
    files: config('nodenext', 'nodenext', { ...rewrite, allowImportingTsExtensions: true, noEmit: true }),
    run: 'node --no-warnings --enable-source-maps --loader ts-node/esm/transpile-only main.ts',
    note: '`--loader ts-node/esm/transpile-only`, and `--enable-source-maps` for the lines of the source',
  },
  {
    ...commonJs,
    name: 'swc-commonjs',
    setup: 'SWC, CommonJS',
    packages: ['@swc-node/register', '@swc/core', ...typescript],
    node: 20,
    files: config('commonjs', 'node10'),
    run: 'node --require @swc-node/register main.ts',
    note: '`--require @swc-node/register`',
  },
  {
    ...esm,
    name: 'swc-esm',
    setup: 'SWC, ES modules',
    packages: ['@swc-node/register', '@swc/core', ...typescript],
    node: 20,
    files: config('nodenext', 'nodenext', rewrite),
    run: 'node --enable-source-maps --import @swc-node/register/esm-register main.ts',
    note: '`--import @swc-node/register/esm-register`, and `--enable-source-maps` for the lines of the source',
  },
]

/** @type {import('../run-row.js').Row[]} */
const byTsc = [
  {
    ...commonJs,
    name: 'tsc-commonjs',
    setup: "tsc, `module: 'commonjs'`",
    packages: typescript,
    files: config('commonjs', 'node10'),
    ...{ build, run },
    note: maps,
  },
  {
    ...commonJs,
    name: 'tsc-node16-commonjs',
    setup: "tsc, `module: 'node16'`, CommonJS",
    packages: typescript,
    files: config('node16', 'node16'),
    ...{ build, run },
    note: maps,
  },
  {
    ...esm,
    name: 'tsc-nodenext',
    setup: "tsc, `module: 'nodenext'`, ES modules",
    packages: typescript,
    files: config('nodenext', 'nodenext', rewrite),
    ...{ build, run },
    note: maps,
  },
  {
    ...esm,
    name: 'tsc-verbatim',
    setup: "tsc, `module: 'nodenext'` with `verbatimModuleSyntax` and all checks",
    packages: typescript,
    files: config('nodenext', 'nodenext', {
      ...rewrite,
      ...{ verbatimModuleSyntax: true, isolatedModules: true, skipLibCheck: false },
      ...{ exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
    }),
    ...{ build, run },
    note: maps,
  },
  {
    ...esm,
    name: 'tsc-bundler',
    setup: "tsc, `moduleResolution: 'bundler'`, ES modules",
    packages: typescript,
    files: config('esnext', 'bundler', rewrite),
    ...{ build, run },
    note: maps,
  },
]

/** Source and build of one module have one entry in the profile, a variable overrides it, and without a profile there is the fallback. */
const byProfile = {
  name: 'profile',
  setup: '`executor()`, source and build',
  app: 'profile',
  packages: typescript,
  node: 24,
  files: {
    'tsconfig.json': config('nodenext', 'nodenext', rewrite)['tsconfig.json'].replace('*.ts', 'src/*.ts'),
  },
  build,
  run: [
    'node src/main.ts',
    'node dist/main.js',
    'THREADWISE_EXECUTOR=threads:2 node dist/main.js',
    'rm threadwise.json',
    'node dist/main.js',
  ].join(' && '),
  prints:
    /^(processes of 1 by the profile: 42\n){2}threads of 2 without it: 42\ninline of 1 without it: 42\n$/,
  note: 'nothing; the profile names the source',
}

export const typeScript = [...byNode, ...byTsx, ...byHooks, ...byTsc, byProfile]

// Frameworks: a small app of each, started, called over HTTP, changed while it runs where that reloads it, and ended.
import { readFileSync } from 'node:fs'

const textOf = (path) => readFileSync(new URL(`../apps/${path}`, import.meta.url), 'utf8')

/** What field/apps/sums/answer.js gives: the second pool of a reload would have a second worker. */
const first = /^200 .*first 42 by 1 worker/s
const second = /^200 .*second 42 by 1 worker/s
const one = /^200 \{"sum":42,"by":"sums in thread \d+"\}/

/** A change of the module that makes the pool, so that it is loaded anew. */
const change = (folder) => ({
  file: `${folder}/pool.js`,
  from: "version = 'first'",
  to: "version = 'second'",
})

const reloading = (folder, command, paths) => ({
  command,
  answers: Object.fromEntries(paths.map((path) => [path, first])),
  edit: change(folder),
  then: Object.fromEntries(paths.map((path) => [path, second])),
})

/** The same in TypeScript, and a change of what the tasks import: the pool is replaced, or the whole program is. */
const reloadingTypeScript = (folder, command, paths) => ({
  command,
  answers: Object.fromEntries(paths.map((path) => [path, first])),
  edit: { file: `${folder}/plus.ts`, from: 'a + b', to: 'a + b + 1' },
  then: Object.fromEntries(paths.map((path) => [path, /^200 .*first 43 by [12] worker/s])),
})

const serving = (command, paths) => ({
  command,
  answers: Object.fromEntries(paths.map((path) => [path, first])),
})

const unchanged = 'nothing'
const withPlugin = '`threadwise/unplugin`'

const nextPages = ['/api', '/']
const nextNote = 'the path of the task module from `process.cwd()`'

const standalone = textOf('next/next.config.mjs').replace('{\n', "{\n  output: 'standalone',\n")

/** `ways`: dev, start, standalone. `flag` chooses the bundler. */
function nextRows({ version, bundler, flag }, ways) {
  const name = `next-${version}-${bundler.toLowerCase()}`
  const packages = [`next@${version}`, 'react@19', 'react-dom@19']
  const base = { app: 'next', parts: { sums: 'sums' }, packages, note: nextNote }
  const title = `Next ${version}, ${bundler}`
  const build = [`next build ${flag}`]
  const forms = { '/action': first }
  const rows = {
    dev: {
      setup: `${title}, \`next dev\``,
      server: { ...reloading('sums', `next dev ${flag} -H 127.0.0.1 -p $PORT`, nextPages), forms },
    },
    start: {
      setup: `${title}, \`next start\``,
      build,
      server: { ...serving('next start -H 127.0.0.1 -p $PORT', nextPages), forms },
    },
    standalone: {
      setup: `${title}, standalone output`,
      files: { 'next.config.mjs': standalone },
      build,
      alone: '.next/standalone',
      server: { ...serving('HOSTNAME=127.0.0.1 node server.js', nextPages), forms },
      note: `${nextNote}, and \`outputFileTracingIncludes\``,
    },
  }
  return ways.map((way) => ({ ...base, name: `${name}-${way}`, ...rows[way] }))
}

/** @type {import('../run-row.js').Row[]} */
const servers = ['express', 'fastify', 'hono'].map((name) => ({
  name,
  setup: name[0].toUpperCase() + name.slice(1),
  app: name,
  parts: { sums: 'sums' },
  packages: name === 'hono' ? ['hono', '@hono/node-server'] : [name],
  server: { command: 'node server.js', answers: { '/sum': one } },
  note: unchanged,
}))

const svelteKit = [
  ...['@sveltejs/kit@3', '@sveltejs/adapter-node', '@sveltejs/vite-plugin-svelte'],
  ...['svelte', 'vite', 'unplugin'],
]

const astro = ['astro', '@astrojs/node', 'unplugin']
const nuxt = ['nuxt', 'unplugin']
const reactRouter = [
  ...[
    'react-router@7.18.4',
    '@react-router/dev@7.18.4',
    '@react-router/node@7.18.4',
    '@react-router/serve@7.18.4',
  ],
  ...['react@19', 'react-dom@19', 'isbot@5', 'vite@7', 'unplugin'],
]

/** @type {import('../run-row.js').Row[]} */
const withVite = [
  {
    name: 'vite-server-dev',
    setup: 'Vite SSR, development',
    app: 'vite-ssr',
    parts: { sums: 'sums' },
    packages: ['vite', 'unplugin'],
    server: reloading('sums', 'node server.js', ['/']),
    note: unchanged,
  },
  {
    name: 'vite-server-build',
    setup: 'Vite SSR, build',
    app: 'vite-ssr',
    parts: { sums: 'sums' },
    packages: ['vite', 'unplugin'],
    build: ['vite build --ssr sums/answer.js'],
    server: serving('NODE_ENV=production node server.js', ['/']),
    note: withPlugin,
  },
  {
    name: 'sveltekit-dev',
    setup: 'SvelteKit, development',
    app: 'sveltekit',
    parts: { 'src/lib/server/sums': 'sums' },
    packages: svelteKit,
    node: 24,
    server: reloading('src/lib/server/sums', 'vite dev --host 127.0.0.1 --port $PORT', ['/api', '/']),
    note: unchanged,
  },
  {
    name: 'sveltekit-build',
    setup: 'SvelteKit, adapter-node',
    app: 'sveltekit',
    parts: { 'src/lib/server/sums': 'sums' },
    packages: svelteKit,
    node: 24,
    build: ['vite build'],
    server: serving('node build', ['/api', '/']),
    note: withPlugin,
  },
  {
    name: 'astro-dev',
    setup: 'Astro, development',
    app: 'astro',
    parts: { 'src/sums': 'sums' },
    packages: astro,
    node: 24,
    server: reloading('src/sums', 'astro dev --host 127.0.0.1 --port $PORT', ['/api', '/']),
    note: unchanged,
  },
  {
    name: 'astro-build',
    setup: 'Astro, Node adapter',
    app: 'astro',
    parts: { 'src/sums': 'sums' },
    packages: astro,
    node: 24,
    build: ['astro build'],
    server: serving('node dist/server/entry.mjs', ['/api', '/']),
    note: withPlugin,
  },
  {
    name: 'nuxt-dev',
    setup: 'Nuxt (Nitro), development',
    app: 'nuxt',
    parts: { 'server/sums': 'sums' },
    packages: nuxt,
    node: 24,
    server: reloading('server/sums', 'nuxt dev --host 127.0.0.1 --port $PORT', ['/api/sum', '/']),
    note: withPlugin,
  },
  {
    name: 'nuxt-build',
    setup: 'Nuxt (Nitro), build',
    app: 'nuxt',
    parts: { 'server/sums': 'sums' },
    packages: nuxt,
    node: 24,
    build: ['nuxt build'],
    alone: '.output',
    server: serving('node server/index.mjs', ['/api/sum', '/']),
    note: withPlugin,
  },
]

/**
 * Development and build of one app whose tasks only a bundler reads.
 *
 * @returns {import('../run-row.js').Row[]}
 */
function typeScriptRows({ name, setup, folder, dev, build, serve, paths, alone, ...rest }) {
  const base = { parts: { [folder]: 'sums-typescript' }, node: 24, note: withPlugin, ...rest }
  const title = `${setup}, TypeScript`
  return [
    {
      ...base,
      name: `${name}-typescript-dev`,
      setup: `${title}, development`,
      server: reloadingTypeScript(folder, dev, paths),
    },
    {
      ...base,
      name: `${name}-typescript-build`,
      setup: `${title}, build`,
      build: [build],
      ...(alone && { alone }),
      server: serving(serve, paths),
    },
  ]
}

const inTypeScript = [
  {
    ...{
      name: 'vite-server',
      setup: 'Vite SSR',
      app: 'vite-ssr',
      folder: 'sums',
      packages: ['vite', 'unplugin'],
    },
    ...{
      dev: 'node server.js',
      build: 'vite build --ssr sums/answer.ts',
      serve: 'NODE_ENV=production node server.js',
      paths: ['/'],
    },
    files: { 'server.js': textOf('vite-ssr/server.js').replace('/sums/answer.js', '/sums/answer.ts') },
  },
  {
    ...{
      name: 'sveltekit',
      setup: 'SvelteKit',
      app: 'sveltekit',
      folder: 'src/lib/server/sums',
      packages: svelteKit,
    },
    ...{
      dev: 'vite dev --host 127.0.0.1 --port $PORT',
      build: 'vite build',
      serve: 'node build',
      paths: ['/api', '/'],
    },
  },
  {
    ...{ name: 'astro', setup: 'Astro', app: 'astro', folder: 'src/sums', packages: astro },
    ...{
      dev: 'astro dev --host 127.0.0.1 --port $PORT',
      build: 'astro build',
      serve: 'node dist/server/entry.mjs',
      paths: ['/api', '/'],
    },
  },
  {
    ...{
      name: 'react-router',
      setup: 'React Router',
      app: 'react-router',
      folder: 'app/sums',
      packages: reactRouter,
    },
    ...{
      dev: 'react-router dev --host 127.0.0.1 --port $PORT',
      build: 'react-router build',
      serve: 'react-router-serve ./build/server/index.js',
      paths: ['/api'],
    },
  },
  {
    ...{ name: 'nuxt', setup: 'Nuxt (Nitro)', app: 'nuxt', folder: 'server/sums', packages: nuxt },
    ...{
      dev: 'nuxt dev --host 127.0.0.1 --port $PORT',
      build: 'nuxt build',
      serve: 'node server/index.mjs',
      paths: ['/api/sum', '/'],
      alone: '.output',
    },
  },
  {
    ...{
      name: 'waku',
      setup: 'Waku',
      app: 'waku',
      folder: 'src/sums',
      packages: ['waku@1.0.0-rc.1', 'react@19', 'react-dom@19', 'react-server-dom-webpack@19', 'unplugin'],
    },
    ...{
      dev: 'waku dev --host 127.0.0.1 --port $PORT',
      build: 'waku build',
      serve: 'waku start --host 127.0.0.1 --port $PORT',
      paths: ['/'],
    },
  },
  {
    ...{
      name: 'nitro-vite',
      setup: 'Nitro 3 in Vite',
      app: 'nitro-vite',
      folder: 'src/sums',
      packages: ['vite@7', 'nitro@3', 'unplugin'],
    },
    ...{
      dev: 'vite dev --host 127.0.0.1 --port $PORT',
      build: 'vite build',
      serve: 'HOST=127.0.0.1 node server/index.mjs',
      paths: ['/'],
      alone: '.output',
    },
  },
].flatMap(typeScriptRows)

/** Servers that a bundler makes: in development it builds again when a file changes, and Node starts the program again. */
const rspackConfig = `import threadwise from 'threadwise/unplugin'
export default {
  mode: 'development',
  devtool: 'source-map',
  target: 'node20',
  entry: { main: './main.ts' },
  experiments: { outputModule: true },
  output: { module: true, chunkFormat: 'module', filename: '[name].mjs' },
  resolve: { extensions: ['.ts', '.js'] },
  module: { rules: [{ test: /\\.ts$/, loader: 'builtin:swc-loader', options: { jsc: { parser: { syntax: 'typescript' } } }, type: 'javascript/auto' }] },
  plugins: [threadwise.rspack()],
}`
const rsbuildConfig = `import threadwise from 'threadwise/unplugin'
export default {
  source: { entry: { main: './main.ts' } },
  output: { target: 'node', module: true, sourceMap: true, filename: { js: '[name].mjs' } },
  tools: { rspack: { plugins: [threadwise.rspack()] } },
}`
const startAgain = (build, file) =>
  `${build} & while [ ! -f ${file} ]; do sleep 0.2; done; node --watch ${file}; wait`

const bundledServers = [
  {
    name: 'rspack-server',
    setup: 'Rspack, ES module',
    packages: ['@rspack/core', '@rspack/cli', 'unplugin'],
    files: { 'rspack.config.mjs': rspackConfig },
    ...{ build: 'rspack build', file: 'dist/main.mjs' },
  },
  {
    name: 'rsbuild-server',
    setup: 'Rsbuild',
    packages: ['@rsbuild/core', 'unplugin'],
    files: { 'rsbuild.config.mjs': rsbuildConfig },
    ...{ build: 'rsbuild build', file: 'dist/main.mjs' },
  },
].flatMap(({ build, file, ...rest }) =>
  typeScriptRows({
    ...rest,
    ...{ app: 'bundled-server', folder: 'sums', build, serve: `node ${file}`, paths: ['/'] },
    dev: startAgain(`${build} --watch`, file),
  }),
)

const nestPackages = [
  ...['@nestjs/core', '@nestjs/common', '@nestjs/platform-express', 'reflect-metadata'],
  ...['rxjs', 'typescript@5', '@types/node@22'],
]

/** As people write it for CommonJS: without endings, and by the folder of the file. */
const nestSource = Object.fromEntries(
  ['main', 'sums.controller', 'sums.service', 'tasks', 'plus'].map((name) => [
    `src/${name}.ts`,
    textOf(`nest/src/${name}.ts`)
      .replaceAll(/from '(\.[^']*)\.js'/g, "from '$1'")
      .replace("new URL('./tasks.js', import.meta.url)", "join(__dirname, 'tasks.js')")
      .replace('import { threads }', "import { join } from 'node:path'\nimport { threads }"),
  ]),
)

const nestWithWebpack = {
  app: 'nest',
  files: {
    ...nestSource,
    'package.json': '{ "name": "app", "private": true, "type": "commonjs" }\n',
    'tsconfig.json': textOf('nest/tsconfig.json').replace(
      '"nodenext"',
      '"commonjs", "moduleResolution": "node10", "ignoreDeprecations": "5.0"',
    ),
    'nest-cli.json': '{ "sourceRoot": "src", "compilerOptions": { "webpack": true } }\n',
    'webpack.config.js': `const threadwise = require('threadwise/unplugin').default
module.exports = (options) => ({ ...options, plugins: [...options.plugins, threadwise.webpack()] })
`,
  },
  packages: [...nestPackages, '@nestjs/cli@11', '@nestjs/schematics@11', 'ts-loader', 'unplugin'],
  node: 24,
  note: withPlugin,
}
const nestAnswers = { '/sum': one }

/** @type {import('../run-row.js').Row[]} */
const nest = [
  {
    name: 'nest',
    setup: 'Nest',
    app: 'nest',
    packages: nestPackages,
    node: 24,
    build: ['tsc'],
    server: { command: 'node dist/main.js', answers: nestAnswers },
    note: unchanged,
  },
  {
    ...nestWithWebpack,
    name: 'nest-webpack-dev',
    setup: 'Nest with webpack, development',
    server: {
      command: 'nest start --watch',
      answers: nestAnswers,
      edit: { file: 'src/plus.ts', from: 'a + b', to: 'a + b + 1' },
      then: { '/sum': /^200 \{"sum":43,"by":"sums in thread \d+"\}/ },
    },
  },
  {
    ...nestWithWebpack,
    name: 'nest-webpack-build',
    setup: 'Nest with webpack, build',
    build: ['nest build'],
    server: { command: 'node dist/main.js', answers: nestAnswers },
  },
]

/** @type {import('../run-row.js').Row[]} */
export const frameworks = [
  ...nextRows({ version: 16, bundler: 'Turbopack', flag: '' }, ['dev', 'start', 'standalone']),
  ...nextRows({ version: 16, bundler: 'webpack', flag: '--webpack' }, ['dev', 'standalone']),
  ...nextRows({ version: 15, bundler: 'webpack', flag: '' }, ['dev', 'start']),
  ...withVite,
  ...inTypeScript,
  ...bundledServers,
  {
    name: 'tanstack-start-build',
    setup: 'TanStack Start (Vite, then Nitro), build',
    app: 'tanstack-start',
    packages: [
      ...['@tanstack/react-start@1.131.50', '@tanstack/react-router@1.170.46', '@vitejs/plugin-react@6'],
      ...['react@19', 'react-dom@19', 'vite@8', 'unplugin'],
    ],
    node: 24,
    build: ['vite build'],
    run: 'threadwise check .output/server',
    prints: /tasks-[\w-]+\.mjs: loads in threads/,
    note: '`threadwise/unplugin` in Vite and in `nitro.config.js`',
  },
  ...nest,
  ...servers,
]

// Bundlers: the program, threadwise in it, and the task module as a second entry. The result runs alone in an empty folder.

const kinds = ['inline', 'concurrent', 'threads', 'processes', 'adaptive']
/** What main.js prints where all executors work. */
const prints = new RegExp(`^${kinds.map((kind) => `${kind} 42 \\S+\n`).join('')}$`, 'm')
const secondEntry = 'the task module as a second entry'
const isModule = '{ "type": "module" }'
const isCommonJs = '{ "name": "app", "private": true, "type": "commonjs" }'

const base = { app: 'plain', alone: 'dist', run: 'node main.js', prints, note: secondEntry }
/** For bundles of modules, whose folder must say so. */
const asModule = 'cp module.json dist/package.json'
const asCommonJs = 'cp commonjs.json dist/package.json'
const files = { 'module.json': isModule, 'commonjs.json': isCommonJs }
const esbuild = 'esbuild main.js tasks.js --bundle --platform=node --outdir=dist'
const asPath = 'cp main-path.js main.js'
/** For what is left outside of the bundle. */
const withPackages = ['mkdir -p dist/node_modules', 'cp -r node_modules/threadwise dist/node_modules']

const webpackConfig = (from) => `
export default {
  mode: 'production',
  target: 'node20',
  entry: { main: './main.js', tasks: { import: './tasks.js', library: { type: 'module' } } },
  experiments: { outputModule: true },
  output: { module: true, chunkFormat: 'module', filename: '[name].js' },
  module: { parser: { javascript: { url: false } } }, // ${from} would copy tasks.js as it is
}`

const plugin = (bundler) => `import threadwise from 'threadwise/unplugin'
const plugins = [threadwise.${bundler}()]
`
const esbuildWithPlugin = (options) => `${plugin('esbuild')}
import { build } from 'esbuild'
await build({ bundle: true, platform: 'node', plugins, logLevel: 'warning', ${options} })`
const webpackWithPlugin = (output) => `${plugin('webpack')}
export default { mode: 'production', target: 'node20', entry: { main: './main-url.js' }, plugins, ${output} }`
const note = '`threadwise/unplugin`'

/** @type {import('../run-row.js').Row[]} */
const withPlugin = [
  {
    ...base,
    name: 'plugin-esbuild-esm',
    setup: 'esbuild with the plugin, ES module',
    packages: ['esbuild', 'unplugin'],
    files: {
      ...files,
      'build.js': esbuildWithPlugin(
        "format: 'esm', entryPoints: { 'deep/er/main': 'main.js' }, outdir: 'dist'",
      ),
    },
    build: ['node build.js', asModule],
    run: 'node deep/er/main.js',
    note,
  },
  {
    ...base,
    name: 'plugin-esbuild-cjs',
    setup: 'esbuild with the plugin, CommonJS',
    packages: ['esbuild', 'unplugin'],
    files: {
      ...files,
      'build.js': esbuildWithPlugin("format: 'cjs', entryPoints: ['main-url.js'], outfile: 'dist/main.js'"),
    },
    build: ['node build.js', asCommonJs],
    note,
  },
  {
    ...base,
    name: 'plugin-rollup',
    setup: 'Rollup with the plugin',
    packages: ['rollup', '@rollup/plugin-node-resolve', 'unplugin'],
    files: {
      ...files,
      'rollup.config.js': `${plugin('rollup')}
import resolve from '@rollup/plugin-node-resolve'
export default { input: 'main.js', output: { dir: 'dist', format: 'es' }, plugins: [...plugins, resolve()] }`,
    },
    build: ['rollup -c', asModule],
    note,
  },
  {
    ...base,
    name: 'plugin-rolldown',
    setup: 'Rolldown with the plugin',
    packages: ['rolldown', 'unplugin'],
    node: 24,
    files: {
      ...files,
      'rolldown.config.js': `${plugin('rolldown')}
export default { input: 'main.js', output: { dir: 'dist' }, platform: 'node', plugins }`,
    },
    build: ['rolldown -c', asModule],
    note,
  },
  {
    ...base,
    name: 'plugin-tsdown',
    setup: 'tsdown with the plugin',
    packages: ['tsdown', 'typescript@5', 'unplugin'],
    node: 24,
    files: {
      ...files,
      'tsdown.config.js': `${plugin('rolldown')}
export default { entry: 'main.js', noExternal: /^threadwise/, outExtensions: () => ({ js: '.js' }), plugins }`,
    },
    build: ['tsdown', asModule],
    note,
  },
  {
    ...base,
    name: 'plugin-webpack-esm',
    setup: 'webpack with the plugin, ES module',
    packages: ['webpack', 'webpack-cli', 'unplugin'],
    files: {
      ...files,
      'webpack.config.js': webpackWithPlugin(
        "experiments: { outputModule: true }, output: { module: true, chunkFormat: 'module', filename: '[name].js' }",
      ),
    },
    build: ['webpack', asModule],
    note,
  },
  {
    ...base,
    name: 'plugin-webpack-cjs',
    setup: 'webpack with the plugin, CommonJS',
    packages: ['webpack', 'webpack-cli', 'unplugin'],
    files: { ...files, 'webpack.config.js': webpackWithPlugin('') },
    build: ['webpack', asCommonJs],
    note,
  },
  {
    ...base,
    name: 'plugin-rspack',
    setup: 'Rspack with the plugin, CommonJS',
    packages: ['@rspack/core', '@rspack/cli', 'unplugin'],
    node: 24,
    files: {
      ...files,
      'rspack.config.js': webpackWithPlugin('').replace('threadwise.webpack', 'threadwise.rspack'),
    },
    build: ['rspack build', asCommonJs],
    note,
  },
  {
    ...base,
    name: 'plugin-webpack-cache',
    setup: 'webpack with the plugin, a second build from its cache on disk',
    packages: ['webpack', 'webpack-cli', 'unplugin'],
    files: { ...files, 'webpack.config.js': webpackWithPlugin("cache: { type: 'filesystem' }") },
    build: ['webpack', 'rm -r dist', 'webpack', asCommonJs],
    note,
  },
  {
    ...base,
    name: 'plugin-rspack-cache',
    setup: 'Rspack with the plugin, a second build from its cache on disk',
    packages: ['@rspack/core', '@rspack/cli', 'unplugin'],
    node: 24,
    files: {
      ...files,
      'rspack.config.js': webpackWithPlugin("cache: { type: 'persistent' }").replace(
        'threadwise.webpack',
        'threadwise.rspack',
      ),
    },
    build: ['rspack build', 'rm -r dist', 'rspack build', asCommonJs],
    note,
  },
  {
    ...base,
    name: 'plugin-vite-lib',
    setup: 'Vite with the plugin, a library of both kinds of modules',
    packages: ['vite', 'unplugin'],
    files: {
      ...files,
      'vite.config.js': `${plugin('vite')}
const lib = { entry: 'main-url.js', formats: ['es', 'cjs'], fileName: 'main' }
export default { build: { lib, rollupOptions: { external: [/^node:/, /^threadwise/] } }, plugins }`,
    },
    build: ['vite build', asModule, ...withPackages],
    run: 'node main.cjs && node main.js',
    prints: new RegExp(`^(?:${kinds.map((kind) => `${kind} 42 \\S+\n`).join('')}){2}$`),
    note: '`threadwise/unplugin`, and threadwise and the modules of Node outside of it',
  },
  {
    ...base,
    name: 'plugin-vite',
    setup: 'Vite with the plugin, SSR build',
    packages: ['vite', 'unplugin'],
    files: {
      ...files,
      'vite.config.js': `${plugin('vite')}
export default { build: { ssr: 'main.js' }, ssr: { noExternal: true }, plugins }`,
    },
    build: ['vite build', asModule],
    note,
  },
]

/** Node's own way to one file, from a bundle of CommonJS. The blob is put into a copy of Node, which Node 26 does by itself. */
const inject = [
  'node --experimental-sea-config sea-config.json',
  'cp "$(command -v node)" dist/app',
  'postject dist/app NODE_SEA_BLOB dist/app.blob --sentinel-fuse NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2',
]
const executable =
  /^inline 42 app\nconcurrent 42 app\nthreads 42 app\nadaptive 42 app\nprocesses TW_ERR_INVALID_CALL\n$/m
const seaRow = (version, output, steps) => ({
  name: `sea-${version}`,
  setup: `single executable of Node ${version}`,
  app: 'plain',
  packages: ['esbuild', 'postject'],
  ...(version !== 20 && { node: version }),
  files: {
    'sea-config.json': `{ "main": "main.cjs", "output": "dist/${output}", "disableExperimentalSEAWarning": true }`,
    'package.json': isCommonJs,
  },
  build: [
    'esbuild main-sea.js --bundle --platform=node --outfile=main.cjs',
    'esbuild tasks.js --bundle --platform=node --outdir=dist',
    ...steps,
  ],
  alone: 'dist',
  run: './app 2> warnings.txt', // Node 26 warns of what is experimental
  prints: executable,
  note: 'a bundle of CommonJS, and the task module beside it by its path; no `processes`, which would start the executable itself',
})
const singleExecutables = [
  seaRow(20, 'app.blob', inject),
  seaRow(24, 'app.blob', inject),
  seaRow(26, 'app', ['node --build-sea sea-config.json']),
]

/** The app in a folder of its own, where another installer adds the package that npm has brought. */
const addedBy = (add) => [
  'npm pack --ignore-scripts ./node_modules/threadwise',
  'mkdir -p dist',
  'cp main.js tasks.js plus.js package.json dist',
  `cd dist && ${add} "threadwise@file:$(ls ../threadwise-*.tgz)"`,
]

/** @type {import('../run-row.js').Row[]} */
const installers = [
  {
    ...base,
    name: 'pnpm',
    setup: 'pnpm, no bundler',
    packages: ['pnpm@10'],
    build: addedBy('pnpm add'),
    note: 'nothing',
  },
  {
    ...base,
    name: 'yarn-pnp',
    setup: "Yarn 4 with Plug'n'Play, no bundler",
    packages: ['@yarnpkg/cli-dist@4'],
    files: {
      'dist/yarn.lock': '',
      'dist/.yarnrc.yml': 'nodeLinker: pnp\nenableGlobalCache: false\nenableTelemetry: false\n',
    },
    build: addedBy('yarn add'),
    run: 'yarn node main.js',
    note: 'nothing',
  },
  {
    ...base,
    name: 'nft',
    setup: '`@vercel/nft`, which copies what a program needs',
    packages: ['@vercel/nft'],
    files: {
      'trace.js': `
import { cpSync } from 'node:fs'
import { nodeFileTrace } from '@vercel/nft'
const { fileList } = await nodeFileTrace(['main.js'])
for (const file of fileList) cpSync(file, 'dist/' + file)`,
    },
    build: ['node trace.js'],
    note: 'nothing',
  },
]

/** @type {import('../run-row.js').Row[]} */
const byBun = [
  {
    ...base,
    name: 'bun-build',
    setup: '`bun build`, run by Node',
    packages: ['bun'],
    files,
    build: ['bun build main.js tasks.js --target=node --outdir=dist', asModule],
  },
  {
    name: 'bun-compile',
    setup: 'single executable of Bun',
    app: 'plain',
    packages: ['bun'],
    build: ['mkdir dist', 'bun build --compile --outfile=dist/app main-bun.js tasks.js'],
    alone: 'dist',
    run: './app',
    prints: executable,
    note: 'the task module as a second entry; no `processes`, which would start the executable itself',
  },
]

/** @type {import('../run-row.js').Row[]} */
export const bundlers = [
  {
    ...base,
    name: 'esbuild-esm',
    setup: 'esbuild, ES module',
    packages: ['esbuild'],
    files,
    build: [`${esbuild} --format=esm`, asModule],
  },
  {
    ...base,
    name: 'esbuild-cjs',
    setup: 'esbuild, CommonJS',
    packages: ['esbuild'],
    files,
    build: [asPath, `${esbuild} --format=cjs`, asCommonJs],
    note: `${secondEntry}, and its path: \`join(__dirname, 'tasks.js')\``,
  },
  {
    ...base,
    name: 'esbuild-external',
    setup: 'esbuild, `--packages=external`',
    packages: ['esbuild'],
    files,
    build: [`${esbuild} --format=esm --packages=external`, asModule, ...withPackages],
  },
  {
    ...base,
    name: 'rollup',
    setup: 'Rollup',
    packages: ['rollup', '@rollup/plugin-node-resolve'],
    files,
    build: ['rollup -i main.js -i tasks.js -d dist -f es -p node-resolve', asModule],
  },
  {
    ...base,
    name: 'rolldown',
    setup: 'Rolldown',
    packages: ['rolldown'],
    node: 24,
    files,
    build: ['rolldown main.js tasks.js -d dist --platform node', asModule],
  },
  {
    ...base,
    name: 'webpack',
    setup: 'webpack, ES module',
    packages: ['webpack', 'webpack-cli'],
    files: { ...files, 'webpack.config.js': webpackConfig('webpack') },
    build: ['webpack', asModule],
    note: `${secondEntry} with \`library: { type: 'module' }\`, and \`parser.javascript.url: false\``,
  },
  {
    ...base,
    name: 'rspack',
    setup: 'Rspack, ES module',
    packages: ['@rspack/core', '@rspack/cli'],
    node: 24,
    files: { ...files, 'rspack.config.js': webpackConfig('Rspack') },
    build: ['rspack build', asModule],
    note: `${secondEntry} with \`library: { type: 'module' }\`, and \`parser.javascript.url: false\``,
  },
  {
    ...base,
    name: 'vite-ssr',
    setup: 'Vite, SSR build',
    packages: ['vite'],
    node: 24,
    files: {
      ...files,
      'vite.config.js': `
export default {
  build: { ssr: true, rollupOptions: { input: ['main.js', 'tasks.js'], output: { entryFileNames: '[name].js' } } },
  ssr: { noExternal: true },
}`,
    },
    build: ['vite build', asModule],
    note: 'the task module as a second `input`',
  },
  {
    ...base,
    name: 'tsup',
    setup: 'tsup',
    packages: ['tsup', 'typescript@5'],
    files: { ...files, 'tsup.config.js': `export default { noExternal: ['threadwise'] }` },
    build: ['tsup main.js tasks.js --format esm --config tsup.config.js', asModule],
  },
  {
    ...base,
    name: 'ncc',
    setup: 'ncc',
    packages: ['@vercel/ncc'],
    files,
    build: ['ncc build main.js -o dist', 'ncc build tasks.js -o tasks', 'cp tasks/index.js dist/tasks.js'],
    run: 'node index.js',
    note: 'the task module built by a second `ncc build`',
  },
  ...byBun,
  ...singleExecutables,
  ...withPlugin,
  ...installers,
]

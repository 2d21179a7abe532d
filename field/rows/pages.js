// Pages: web() in a Chromium, as each bundler builds it, with the worker as a file of the user's and by the plugin.
import { readFileSync } from 'node:fs'

const textOf = (path) => readFileSync(new URL(`../apps/${path}`, import.meta.url), 'utf8')

/** What field/apps/page/answer.js gives. */
const pages = { '/': /\bweb 42 app\b/ }
const answers = { '/': /^200 / }
const serving = (folder) => ({ command: `node serve.js ${folder}`, answers, pages })

const own = 'nothing'
const withPlugin = '`threadwise/unplugin`'
const secondEntry = 'the file of the worker as a second entry'

const plugin = (bundler) => `import threadwise from 'threadwise/unplugin'
const plugins = [threadwise.${bundler}()]
`
const byUrl = { 'page.js': textOf('page/by-url.js') }
const base = { app: 'page', note: own }
const built = { ...base, server: serving('dist') }
const copyPage = 'cp index.html dist'

const esbuild = "bundle: true, format: 'esm', outdir: 'dist', logLevel: 'warning'"
const esbuildRows = [
  {
    ...built,
    name: 'page-esbuild',
    setup: 'esbuild',
    packages: ['esbuild'],
    build: ['esbuild page.js tasks.worker.js --bundle --format=esm --outdir=dist', copyPage],
    note: secondEntry,
  },
  {
    ...built,
    name: 'page-plugin-esbuild',
    setup: 'esbuild with the plugin',
    packages: ['esbuild', 'unplugin'],
    files: {
      ...byUrl,
      'build.js': `${plugin('esbuild')}import { build } from 'esbuild'
await build({ entryPoints: ['page.js'], plugins, ${esbuild} })`,
    },
    build: ['node build.js', copyPage],
    note: withPlugin,
  },
]

const vite = {
  command: 'vite --host 127.0.0.1 --port $PORT',
  ...{ answers, pages },
}
const viteConfig = { 'vite.config.js': `${plugin('vite')}export default { plugins }` }
const viteRows = [
  { ...built, name: 'page-vite', setup: 'Vite, build', packages: ['vite'], build: ['vite build'] },
  { ...base, name: 'page-vite-dev', setup: 'Vite, development', packages: ['vite'], server: vite },
  {
    ...built,
    name: 'page-plugin-vite',
    setup: 'Vite with the plugin, build',
    packages: ['vite', 'unplugin'],
    files: { ...byUrl, ...viteConfig },
    build: ['vite build'],
    note: withPlugin,
  },
  {
    ...base,
    name: 'page-plugin-vite-dev',
    setup: 'Vite with the plugin, development',
    packages: ['vite', 'unplugin'],
    files: { ...byUrl, ...viteConfig },
    server: vite,
    note: withPlugin,
  },
]

/** docs/web.md shows these components. */
const componentRow = (name, packages, config, entry) => ({
  ...built,
  app: 'components',
  name: `page-plugin-${name.toLowerCase()}`,
  setup: `${name} by Vite with the plugin, build`,
  packages: ['vite@8', 'unplugin', ...packages],
  node: 24,
  files: {
    'vite.config.js': `${plugin('vite')}import ${config}
export default { plugins: [...plugins, make()] }`,
    'entry.jsx': entry,
    'serve.js': textOf('page/serve.js'),
  },
  server: { ...serving('dist'), pages: { '/': /\btotal 42\b/ } },
  build: ['vite build'],
  note: withPlugin,
})
const componentRows = [
  componentRow(
    'React',
    ['react', 'react-dom', '@vitejs/plugin-react'],
    "make from '@vitejs/plugin-react'",
    `import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Total } from './Total.jsx'
const numbers = [40, 2]
createRoot(document.getElementById('app')).render(<StrictMode><Total numbers={numbers} /></StrictMode>)`,
  ),
  componentRow(
    'Vue',
    ['vue', '@vitejs/plugin-vue'],
    "make from '@vitejs/plugin-vue'",
    `import { createApp } from 'vue'
import Total from './Total.vue'
createApp(Total, { numbers: [40, 2] }).mount('#app')`,
  ),
  componentRow(
    'Svelte',
    ['svelte', '@sveltejs/vite-plugin-svelte'],
    "{ svelte as make } from '@sveltejs/vite-plugin-svelte'",
    `import { mount } from 'svelte'
import Total from './Total.svelte'
mount(Total, { target: document.getElementById('app'), props: { numbers: [40, 2] } })`,
  ),
]

const angular = {
  ...base,
  app: 'angular',
  files: { 'serve.js': textOf('page/serve.js') },
  packages: [
    ...['core', 'common', 'compiler', 'platform-browser'].map((name) => `@angular/${name}@22`),
    ...['cli', 'build', 'compiler-cli'].map((name) => `@angular/${name}@22`),
    ...['rxjs', 'tslib', 'typescript@6.0'],
  ],
  node: 24,
}
const angularRows = [
  {
    ...angular,
    name: 'page-angular',
    setup: 'Angular, `ng build`',
    build: ['ng build'],
    server: serving('dist/app/browser'),
  },
  {
    ...angular,
    name: 'page-angular-dev',
    setup: 'Angular, `ng serve`',
    server: { command: 'ng serve --host 127.0.0.1 --port $PORT', answers, pages },
  },
]

/** Markdown that shows a component of Vue, which is drawn on the server once: there the pool starts nothing. */
const vitepressRow = {
  ...built,
  app: 'components',
  name: 'page-plugin-vitepress',
  setup: 'VitePress with the plugin, build',
  packages: ['vitepress@1', 'vue', 'unplugin'],
  node: 24,
  files: {
    '.vitepress/config.js': `${plugin('vite')}export default { vite: { plugins } }`,
    'index.md':
      '# A page\n\n<script setup>\nimport Total from \'./Total.vue\'\n</script>\n\n<Total :numbers="[40, 2]" />\n',
    'serve.js': textOf('page/serve.js'),
  },
  server: { ...serving('.vitepress/dist'), pages: { '/': /\btotal 42\b/ } },
  build: ['vitepress build'],
  note: withPlugin,
}

const rollupConfig = (bundler, more = '') => `${plugin(bundler)}${more}
export default { input: 'page.js', output: { dir: 'dist', format: 'es' }, plugins }`
const rollupRows = [
  {
    ...built,
    name: 'page-plugin-rollup',
    setup: 'Rollup with the plugin',
    packages: ['rollup', '@rollup/plugin-node-resolve', 'unplugin'],
    files: {
      ...byUrl,
      'rollup.config.js': rollupConfig(
        'rollup',
        `import resolve from '@rollup/plugin-node-resolve'\nplugins.push(resolve({ browser: true }))`,
      ),
    },
    build: ['rollup -c', copyPage],
    note: `${withPlugin}, and \`browser: true\` for node-resolve`,
  },
  {
    ...built,
    name: 'page-plugin-rolldown',
    setup: 'Rolldown with the plugin',
    packages: ['rolldown', 'unplugin'],
    node: 24,
    files: { ...byUrl, 'rolldown.config.js': rollupConfig('rolldown') },
    build: ['rolldown -c', copyPage],
    note: withPlugin,
  },
]

const webpackConfig = (start) => `${start}
export default { mode: 'production', entry: './page.js', output: { filename: 'page.js' }, plugins }`
const noPlugins = 'const plugins = []'
const webpackRows = [
  {
    ...built,
    name: 'page-webpack',
    setup: 'webpack',
    packages: ['webpack', 'webpack-cli'],
    files: { 'webpack.config.js': webpackConfig(noPlugins) },
    build: ['webpack', copyPage],
  },
  {
    ...built,
    name: 'page-plugin-webpack',
    setup: 'webpack with the plugin',
    packages: ['webpack', 'webpack-cli', 'unplugin'],
    files: { ...byUrl, 'webpack.config.js': webpackConfig(plugin('webpack')) },
    build: ['webpack', copyPage],
    note: withPlugin,
  },
  {
    ...built,
    name: 'page-rspack',
    setup: 'Rspack',
    packages: ['@rspack/core', '@rspack/cli'],
    node: 24,
    files: { 'rspack.config.js': webpackConfig(noPlugins) },
    build: ['rspack build', copyPage],
  },
  {
    ...built,
    name: 'page-plugin-rspack',
    setup: 'Rspack with the plugin',
    packages: ['@rspack/core', '@rspack/cli', 'unplugin'],
    node: 24,
    files: { ...byUrl, 'rspack.config.js': webpackConfig(plugin('rspack')) },
    build: ['rspack build', copyPage],
    note: withPlugin,
  },
]

const parcelRow = {
  ...built,
  name: 'page-parcel',
  setup: 'Parcel',
  packages: ['parcel'],
  files: {
    'package.json':
      '{ "private": true, "type": "module", "@parcel/resolver-default": { "packageExports": true } }',
  },
  build: ['parcel build index.html --no-cache'],
  note: '`"@parcel/resolver-default": { "packageExports": true }` in package.json',
}

const next = { app: 'next-page', parts: { sums: 'page' }, note: own }
const nextPackages = ['next@16', 'react@19', 'react-dom@19']
const nextDev = (flag) => ({ command: `next dev ${flag} -H 127.0.0.1 -p $PORT`, answers, pages })
const nextStart = { command: 'next start -H 127.0.0.1 -p $PORT', answers, pages }
const start = /const start = .*\nconst pool = web\(start,/
const nextWithPlugin = {
  'app/page.jsx': textOf('next-page/app/page.jsx').replace(
    start,
    "const pool = web(new URL('../sums/tasks.js', import.meta.url),",
  ),
  'next.config.mjs': `${plugin('webpack')}
export default { webpack: (config) => ({ ...config, plugins: [...config.plugins, ...plugins] }) }`,
}
const nextRows = [
  {
    ...next,
    name: 'page-next-dev',
    setup: 'Next 16, Turbopack, `next dev`',
    packages: nextPackages,
    server: nextDev(''),
  },
  {
    ...next,
    name: 'page-next',
    setup: 'Next 16, Turbopack, `next start`',
    packages: nextPackages,
    build: ['next build'],
    server: nextStart,
  },
  {
    ...next,
    name: 'page-plugin-next',
    setup: 'Next 16, webpack with the plugin, `next start`',
    packages: [...nextPackages, 'unplugin'],
    files: nextWithPlugin,
    build: ['next build --webpack'],
    server: nextStart,
    note: '`config.plugins.push(threadwise.webpack())`',
  },
]

/** Workers know no import map. */
const inPackage = (name) => `/node_modules/threadwise/dist/${name}.js`
const map = `<script type="importmap">{ "imports": { "threadwise/web": "${inPackage('web')}" } }</script>`

/** @type {import('../run-row.js').Row[]} */
export const pageRows = [
  {
    ...base,
    name: 'page-files',
    setup: 'static files, without a bundler',
    files: {
      'index.html': textOf('page/index.html').replace('<script', `${map}\n  <script`),
      'tasks.worker.js': textOf('page/tasks.worker.js').replace(
        'threadwise/web/worker',
        inPackage('web-worker'),
      ),
      'tasks.js': textOf('page/tasks.js').replace('threadwise/task', inPackage('task')),
    },
    server: serving('.'),
    note: 'an import map for the page, and in workers, which have none, the way to `dist/web-worker.js` and `dist/task.js`',
  },
  ...esbuildRows,
  ...viteRows,
  ...componentRows,
  ...angularRows,
  vitepressRow,
  ...rollupRows,
  ...webpackRows,
  parcelRow,
  ...nextRows,
]

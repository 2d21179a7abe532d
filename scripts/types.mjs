// Checks the types, and writes those of the ways in into dist/, as few files as the JavaScript beside them.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { rollup } from 'rollup'
import { dts } from 'rollup-plugin-dts'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))

const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc')
/** The page of the dashboard knows the names of a browser, the rest those of Node. */
const programs = ['.', 'src/cli/dashboard/page']
const areRight = programs.map((program) => spawnSync(process.execPath, [tsc, '-p', program], { stdio: 'inherit' }).status === 0) // prettier-ignore
if (areRight.every(Boolean)) await bundleTypes()
else process.exitCode = 1

/** For import as .d.ts, and for require as .d.cts: TypeScript takes what a file exports by its end. */
async function bundleTypes() {
  mkdirSync('dist', { recursive: true })
  for (const path of readdirSync('dist', { recursive: true }))
    if (/\.d\.c?ts$/.test(path)) rmSync(`dist/${path}`)
  const isWayIn = (name) => /^[\w-]+\.ts$/.test(name)
  const waysIn = readdirSync('src').flatMap((name) => (isWayIn(name) ? name.replace('.ts', '') : []))
  const input = Object.fromEntries(waysIn.map((name) => [name, `build/types/${name}.d.ts`]))
  const bundle = await rollup({
    input,
    external: /^(node:|unplugin$|bullmq$|ioredis$)/,
    plugins: [dts()],
    logLevel: 'silent',
  })
  const { output } = await bundle.generate({
    chunkFileNames: 'chunk-[hash].d.ts',
    entryFileNames: '[name].d.ts',
  })
  for (const { fileName, code } of output) {
    writeFileSync(`dist/${fileName}`, code)
    const forRequire = code.replace(/(from '\.\/[\w-]+)\.d\.ts'|(from '\.\/[\w-]+)\.js'/g, "$1$2.cjs'")
    writeFileSync(`dist/${fileName.replace('.d.ts', '.d.cts')}`, forRequire)
  }
}

// The sources, as the rules see them: path within src -> text.
import { readdirSync, readFileSync } from 'node:fs'
import { sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const src = fileURLToPath(new URL('../../src/', import.meta.url))

export function sourceFiles() {
  const paths = readdirSync(src, { recursive: true }).filter((path) => /(?<!\.d)\.ts$/.test(path))
  return Object.fromEntries(
    paths.sort().map((path) => [path.replaceAll(sep, '/'), readFileSync(src + path, 'utf8')]),
  )
}

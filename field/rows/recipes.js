// Recipes whose code needs packages from npm: their files as they stand on the page, run to what it shows.
import { readdirSync, readFileSync } from 'node:fs'
import { blocksOf } from '../../test/docs/pages.js'

const folder = new URL('../../docs/recipes/', import.meta.url)
const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** @type {import('../run-row.js').Row[]} */
export const recipes = readdirSync(folder)
  .sort()
  .flatMap((name) => {
    const text = readFileSync(new URL(name, folder), 'utf8')
    const blocks = blocksOf(text)
    const program = blocks.find(({ marks }) => marks.run && marks.needs)
    if (!program) return []
    const files = blocks.filter(({ marks }) => marks.needs).map(({ marks, text }) => [marks.file ?? marks.run, text]) // prettier-ignore
    const shown = blocks.find(({ marks }) => marks.output === program.marks.run).text
    return {
      name: `recipe-${name.replace('.md', '')}`,
      setup: /^# (.*)$/m.exec(text)[1],
      app: 'recipe',
      files: Object.fromEntries(files),
      packages: program.marks.needs.split(','),
      run: `node ${program.marks.run}`,
      prints: new RegExp(`^${escaped(shown.trimEnd())}`, 'm'),
      note: 'nothing',
    }
  })

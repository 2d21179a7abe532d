// Recipes: each begins with its command, its commands run, its servers answer, and what it shows of a framework is code of an app that is tried.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { commandsOf, pageProject } from '../helpers/page-project.js'
import { measuredCodes } from '../helpers/program.js'
import { blocksOf, readPage, root, userPages } from './pages.js'

const recipes = userPages.filter((page) => /^docs\/recipes\/(?!README)/.test(page))
/** What is short, and made shorter. Measurements take longer: of them the task is called with the arguments of the line. */
const SHORT = { cpus: [], compare: ['--budget', '3', '--processes', '2'] }
const isShort = (line) => line.split(' ')[2] in SHORT && !/--(server|against|node)|old\/|workload/.test(line)
const taskOf = (line) => {
  const [, module, task, args] = / (\S+\.js) --task (\w+) --args '([^']*)'/.exec(line) ?? []
  return module && { module, task, args: JSON.parse(args) }
}

/** A file of an app in field/apps: which `npm run test:field` builds and runs. */
const ofApp = ({ marks }) => /^(next|nest)\//.test(marks.file ?? '')

for (const page of recipes)
  describe(page, () => {
    const markdown = readPage(page)
    const blocks = blocksOf(markdown)
    const lines = commandsOf(blocks)

    test('begins with its command', () => {
      assert.match(markdown, /^# .+\n\n```sh\n(npx threadwise|npm install threadwise|node --test)/)
    })

    const shown = blocks.filter(ofApp)
    test('shows code of an app that is tried', { skip: shown.length === 0 && 'it shows its own' }, () => {
      for (const { marks, text } of shown) {
        const path = join(root, 'field/apps', marks.file)
        assert.ok(existsSync(path) && readFileSync(path, 'utf8').includes(text), `${marks.file}: ${text}`)
      }
    })

    const isAlone = blocks.some(({ marks }) => marks.needs?.includes(','))
    const packages = ['express', 'fastify']
    const short = lines.filter(isShort).slice(0, 1)
    test(
      'its commands run',
      { skip: short.length === 0 && 'they take minutes, or other machines' },
      async (t) => {
        const { threadwise } = await pageProject(t, markdown, packages)
        for (const line of short) {
          const { code, stdout, stderr } = await threadwise(line, SHORT[line.split(' ')[2]]).ended
          assert.ok(measuredCodes.includes(code), `${line}: ${code}\n${stdout}${stderr}`)
        }
      },
    )

    const measured = isAlone ? [] : lines.flatMap((line) => taskOf(line) ?? [])
    test(
      'its tasks take the arguments of its commands',
      { skip: measured.length === 0 && 'it names none' },
      async (t) => {
        const { folder } = await pageProject(t, markdown, packages)
        process.chdir(folder)
        try {
          for (const { module, task, args } of measured) {
            const tasks = await import(pathToFileURL(join(folder, module)).href)
            for (const each of args.every(Array.isArray) ? args : [args])
              assert.ok((await tasks[task](...each)) !== undefined, task)
          }
        } finally {
          process.chdir(root)
        }
      },
    )

    const path = /--path (\S+)/.exec(lines.join('\n'))?.[1]
    const hasServer = blocks.some(({ marks }) => marks.file === 'server.js')
    test('its server answers', { skip: !hasServer && 'it has none' }, async (t) => {
      const { serve } = await pageProject(t, markdown, packages)
      const { ask, end } = await serve('server.js')
      assert.equal((await ask(path ?? '/')).status, 200)
      await end()
    })
  })

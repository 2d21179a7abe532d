// The command line as the documentation tells it: every command and option exists, and every one is told.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { blocksOf, inlineCodeOf, readPage, root, userPages } from './pages.js'

/** Options of other programs that the pages name. */
const FOREIGN = ['--max-old-space-size', '--stop-timeout', '--init']

function help(...command) {
  const args = [join(root, 'dist/cli/main.js'), ...command, '--help']
  const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 20_000 })
  assert.equal(status, 0, command.join(' '))
  return stdout
}

/** The names in a section of a help text: "Options" or "Commands". */
function namesIn(text, section) {
  const part = text.split(`\n${section}:\n`)[1]?.split('\n\n')[0] ?? ''
  const pattern = section === 'Commands' ? /^ {2}([a-z]+)/gm : /^ {2}(?:-\w, )?(--[a-z-]+)/gm
  return [...part.matchAll(pattern)].map(([, name]) => name)
}

const labs = namesIn(help('lab'), 'Commands').filter((name) => name !== 'help')
const commands = ['', ...namesIn(help(), 'Commands'), ...labs.map((name) => `lab ${name}`)].filter(
  (name) => name !== 'help',
)
/** command -> its options */
const optionsOf = new Map(commands.map((name) => [name, namesIn(help(...name.split(' ').filter(Boolean)), 'Options')])) // prettier-ignore
const known = new Set([...optionsOf.values()].flat())

const optionsIn = (text) => [...text.matchAll(/(?<![\w-])--[a-z][a-z-]*/g)].map(([option]) => option)

/** What a page shows of the shell: lines of blocks, with continued lines joined, and code in prose. */
function shellLines(page) {
  const markdown = readPage(page)
  const shown = blocksOf(markdown).filter(({ language }) => ['sh', 'text'].includes(language))
  const lines = shown.flatMap(({ text }) => text.replace(/\\\n/g, ' ').split('\n'))
  return [...lines.map((line) => line.split(' #')[0]), ...inlineCodeOf(markdown)]
}

test('the help was read', () => {
  assert.deepEqual(commands.slice(0, 4).sort(), ['', 'cpus', 'lab', 'measure'])
  assert.ok(optionsOf.get('measure').includes('--quick'))
  assert.ok(optionsOf.get('lab files').includes('--count'))
  assert.ok(optionsOf.get('load').includes('--rate'))
})

for (const page of userPages) {
  describe(page, () => {
    test('names no option that does not exist', () => {
      const named = shellLines(page).flatMap(optionsIn)
      assert.deepEqual(named.filter((option) => !known.has(option) && !FOREIGN.includes(option)), []) // prettier-ignore
    })

    test('shows no command with an option that it does not have', () => {
      const wrong = shellLines(page).filter((line) => {
        const words = /^(?:npx )?threadwise (?!has |keeps )(.+)$/.exec(line.trim())?.[1].split(/\s+/)
        if (!words) return false
        const name = words[0] === 'lab' && labs.includes(words[1]) ? `lab ${words[1]}` : words[0]
        const own = optionsOf.get(name.startsWith('-') ? '' : name)
        return !own || optionsIn(line).some((option) => !own.includes(option))
      })
      assert.deepEqual(wrong, [])
    })
  })
}

describe('README.md tells', () => {
  const lab = readPage('README.md').split('\n## The lab\n')[1].split('\n## ')[0]
  const told = shellLines('README.md').flatMap(optionsIn)

  for (const [name, options] of optionsOf) {
    test(`all options of threadwise ${name}`, () => {
      const text = name.startsWith('lab ') ? lab.split('\n').find((line) => line.includes(`| \`${name.slice(4)}\``)) : '' // prettier-ignore
      assert.deepEqual(options.filter((option) => !told.includes(option)), []) // prettier-ignore
      if (!name.startsWith('lab ')) return
      const shared = ['--rounds', '--json', '--html', '--help', '--version']
      const own = options.filter((option) => !shared.includes(option))
      assert.deepEqual(own.filter((option) => !optionsIn(text ?? '').includes(option)), [], `the row of ${name}`) // prettier-ignore
    })
  }
})

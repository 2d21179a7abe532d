// Options as the documentation tells them: every one exists, and every one is told, of the command line and of programs.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { blocksOf, fieldsOf, inlineCodeOf, readPage, root, rowsOf, sectionOf, userPages } from './pages.js'

/** Options of other programs that the pages name. */
const FOREIGN = [
  '--webpack', // Nest's
  ...[
    '--max-old-space-size',
    '--env-file',
    '--inspect',
    '--stop-timeout',
    '--init',
    '--no-daemon',
    '--update-env',
  ],
  ...['--bundle', '--platform', '--format', '--outdir', '--packages', '--save-dev'],
  ...['--experimental-sea-config', '--build-sea', '--allow-all', '--allow-run'],
  ...['--import', '--loader', '--require', '--enable-source-maps', '--experimental-vm-modules'],
  ...['--test', '--test-isolation', '--coverage', '--experimental-test-coverage'],
  ...['--compile', '--watch-path', '--include', '--max-semi-space-size', '--unshallow'],
]

function help(...command) {
  const args = [join(root, 'dist/cli/main.js'), ...command, '--help']
  const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 20_000 })
  assert.equal(status, 0, command.join(' '))
  return stdout
}

/** The names in a help text of "Options" or "Commands", in groups with headings of their own; its examples begin with "threadwise". */
function namesIn(text, section) {
  const pattern =
    section === 'Commands' ? /^ {2}(?!threadwise )([a-z]+)(?:\|\w+)? [ <[]/gm : /^ {2}(?:-\w, )?(--[a-z-]+)/gm
  const [, list = ''] = section === 'Commands' ? /^Options:\n[^]*?\n\n([^]*?)(?=^Examples:|(?![^]))/m.exec(text) ?? [] : ['', text] // prettier-ignore
  return [...list.matchAll(pattern)].map(([, name]) => name)
}

const labs = namesIn(help('lab'), 'Commands').filter((name) => name !== 'help')
const commands = ['', ...namesIn(help(), 'Commands'), ...labs.map((name) => `lab ${name}`)].filter(
  (name) => name !== 'help',
)
/** command -> its options */
const optionsOf = new Map(commands.map((name) => [name, namesIn(help(...name.split(' ').filter(Boolean)), 'Options')])) // prettier-ignore
const known = new Set([...optionsOf.values()].flat())

const optionsIn = (text) => [...text.matchAll(/(?<![\w=-])--[a-z][a-z-]*/g)].map(([option]) => option)

/** What a page shows of the shell: lines of blocks, with continued lines joined, and code in prose. */
function shellLines(page) {
  const markdown = readPage(page)
  const shown = blocksOf(markdown).filter(({ language }) => ['sh', 'text'].includes(language))
  const lines = shown.flatMap(({ text }) => text.replace(/\\\n/g, ' ').split('\n'))
  return [...lines.map((line) => line.split(' #')[0]), ...inlineCodeOf(markdown)]
}

test('the help was read', () => {
  for (const name of ['', 'doctor', 'measure', 'serve', 'queue', 'resize', 'lab files'])
    assert.ok(commands.includes(name), name)
  assert.ok(optionsOf.get('measure').includes('--quick'))
  assert.ok(optionsOf.get('lab files').includes('--count'))
  assert.ok(optionsOf.get('load').includes('--rate'))
})

describe('the help begins with two examples, whose options exist', () => {
  for (const name of commands.filter((name) => name && !name.startsWith('lab ')))
    test(`threadwise ${name}`, () => {
      const lines = help(name).split('\n')
      for (const line of lines.slice(0, 2)) {
        assert.match(line, /^ {2}npx threadwise [a-z]+( |$)/)
        const own = optionsOf.get(line.trim().split(' ')[2])
        assert.deepEqual(
          optionsIn(line.split(' -- ')[0]).filter((option) => !own.includes(option)),
          [],
        )
      }
      assert.match(lines[3], /^Usage: threadwise/)
    })
})

for (const page of userPages) {
  describe(page, () => {
    test('names no option that does not exist', () => {
      const named = shellLines(page).flatMap(optionsIn)
      assert.deepEqual(named.filter((option) => !known.has(option) && !FOREIGN.includes(option)), []) // prettier-ignore
    })

    // What stands after -- is for the file that is started.
    test('shows no command with an option that it does not have', () => {
      const wrong = shellLines(page).filter((line) => {
        const words = /^(?:npx )?threadwise (?!has |keeps )(.+)$/.exec(line.trim())?.[1].split(/\s+/)
        if (!words) return false
        const name = words[0] === 'lab' && labs.includes(words[1]) ? `lab ${words[1]}` : words[0]
        const own = optionsOf.get(name.startsWith('-') ? '' : name)
        return !own || optionsIn(line.split(' -- ')[0]).some((option) => !own.includes(option))
      })
      assert.deepEqual(wrong, [])
    })
  })
}

/** command -> the pages with its options; those of an experiment are in its row. */
const pagesOf = (name) => {
  if (name.startsWith('lab ')) return ['docs/lab.md', 'docs/measuring.md']
  const own = {
    '': 'README.md',
    worker: 'docs/cluster.md',
    queue: 'docs/cluster.md',
    lab: 'docs/lab.md',
    cpus: 'docs/sizing.md',
    load: 'docs/load.md',
    doctor: 'docs/doctor.md',
    compare: 'docs/comparing.md',
    plan: 'docs/planning.md',
    pools: 'docs/observing.md',
    resize: 'docs/observing.md',
    dashboard: 'docs/dashboard.md',
  }
  if (name === 'measure') return ['docs/measuring.md', 'docs/servers.md']
  return own[name] ? [own[name]] : ['docs/serving.md', 'docs/serving-options.md', 'docs/operating.md']
}

describe('the pages tell', () => {
  for (const [name, options] of optionsOf) {
    test(`all options of threadwise ${name}`, () => {
      const told = [...pagesOf(name).flatMap(shellLines).flatMap(optionsIn), '--help', '--version']
      assert.deepEqual(options.filter((option) => !told.includes(option)), []) // prettier-ignore
      if (!name.startsWith('lab ')) return
      const [row = []] = rowsOf(readPage('docs/lab.md')).filter(([first]) => first === `\`${name.slice(4)}\``)
      const own = options.filter((option) => !['--budget', '--rounds', '--json', '--html', '--help', '--version'].includes(option)) // prettier-ignore
      assert.deepEqual(optionsIn(row.at(-1) ?? '').sort(), own.sort())
    })
  }
})

describe('a table tells, once each and with no other', () => {
  const namesIn = (page, title, column = 0) =>
    rowsOf(sectionOf(readPage(page), title)).flatMap((row) => inlineCodeOf(row[column]))
  const executors = ['InlineOptions', 'ConcurrentOptions', 'ThreadsOptions', 'AdaptiveOptions', 'ProcessesOptions'] // prettier-ignore
  const tables = [
    ['docs/options.md', 'Of a call', 0, 'threadwise', ['RunOptions', 'StreamOptions']],
    ['docs/options.md', 'Of an executor', 0, 'threadwise', executors],
    ['docs/options.md', 'Of bullmq', 0, 'threadwise/bullmq', ['BullmqOptions']],
    ['docs/options.md', 'Of a worker of a queue', 0, 'threadwise/bullmq', ['WorkOptions']],
    [
      'docs/options.md',
      'Of executor()',
      0,
      'threadwise',
      ['ProfileOptions'],
      [...executors, 'BullmqOptions'],
    ],
    ['docs/options.md', 'Of parallel algorithms', 0, 'threadwise/parallel', ['ParallelOptions', 'MapOptions', 'ReduceOptions', 'SortOptions']], // prettier-ignore
    ['docs/measuring.md', 'Options', 1, 'threadwise/measure', ['MeasureOptions']],
    ['docs/comparing.md', 'Options', 1, 'threadwise/measure', ['CompareOptions']],
    ['docs/servers.md', 'Options', 1, 'threadwise/measure', ['MeasureServerOptions']],
    ['docs/load.md', 'Options', 1, 'threadwise/measure', ['LoadOptions']],
  ]
  for (const [page, title, column, module, types, toldBefore = []] of tables) {
    test(`all options of ${types.join(', ')} (${page}, ${title})`, () => {
      const told = toldBefore.flatMap((type) => fieldsOf(type === 'BullmqOptions' ? 'threadwise/bullmq' : module, type)) // prettier-ignore
      const fields = new Set(
        types.flatMap((type) => fieldsOf(module, type)).filter((name) => !told.includes(name)),
      )
      assert.ok(fields.size > 1)
      assert.deepEqual(namesIn(page, title, column).sort(), [...fields].sort())
    })
  }

  test('of which executors each option is (docs/options.md, Of an executor)', () => {
    const rows = rowsOf(sectionOf(readPage('docs/options.md'), 'Of an executor'))
    const ofAny = { all: ['inline', 'concurrent', 'threads', 'adaptive', 'processes'], pools: ['threads', 'adaptive', 'processes'] } // prettier-ignore
    for (const kind of ofAny.all) {
      const own = rows.filter(([, , , of]) => (ofAny[of] ?? inlineCodeOf(of)).includes(kind))
      const type = `${kind[0].toUpperCase()}${kind.slice(1)}Options`
      assert.deepEqual(own.map(([name]) => name.slice(1, -1)).sort(), fieldsOf('threadwise', type).sort(), type) // prettier-ignore
    }
  })

  test('all options of ServeOptions (docs/serving-options.md, Options)', () => {
    const [table] = sectionOf(readPage('docs/serving-options.md'), 'Options').split('For the command alone')
    const names = rowsOf(table).flatMap((row) => inlineCodeOf(row[1]))
    assert.deepEqual(names.sort(), fieldsOf('threadwise/cluster', 'ServeOptions').sort())
  })
})

// No verb takes a wrong value in silence: each of its options has values here that it refuses, before it does anything. An option that is
// new, and has no line here, fails.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Command } from 'commander'
import { addDashboardCommand } from '../../../build/cli/dashboard/dashboard-commands.js'
import { addMeasuringCommands } from '../../../build/cli/measuring/measuring-commands.js'
import { addServeCommands } from '../../../build/cli/serving/serving-commands.js'

const here = fileURLToPath(import.meta.url)
const tasks = fileURLToPath(new URL('../../fixtures/measured/tasks.js', import.meta.url))
const workload = fileURLToPath(new URL('../../../examples/render/render.workload.js', import.meta.url))

/** With which a verb would begin. */
const begins = {
  ...{ measure: [tasks, '--task', 'add'], compare: [tasks, '--task', 'add', '--task', 'block'] },
  load: ['http://localhost:1/'],
  plan: [here, '--rate', '10', '--p99', '50'],
  ...{ serve: [here], doctor: [here] },
  ...{ status: ['nobody'], logs: ['nobody'], monit: ['nobody'] },
}
/** The same for some of its options. */
const beginsWith = (verb, option) => {
  const ofServers = ['--path', '--offload-path', '--instances', '--connections']
  if (verb === 'measure' && ofServers.includes(option)) return [here, '--server']
  if (verb === 'compare' && ofServers.includes(option)) return [here, '--server', '--against', 'HEAD']
  if (verb === 'compare' && option === '--rate') return [here, '--server', '--against', 'HEAD']
  if (verb === 'compare' && option === '--variants') return [workload]
  if (verb === 'doctor' && ['--patch', '--build', '--setup', '--reset'].includes(option))
    return [here, '--try']
  if (verb === 'compare' && option === '--build') return [tasks, '--task', 'add', '--against', 'HEAD']
  if (verb === 'measure' && option === '--task') return [tasks]
  if (verb === 'measure' && option === '--connection') return [tasks, '--executors', 'bullmq']
  if (verb === 'dashboard' && ['--connection', '--prefix'].includes(option)) return ['--queue', 'images']
  if (verb === 'serve' && ['--config', '--env', '--only'].includes(option)) return []
  if (verb === 'serve' && option.startsWith('--log')) return [here, '--daemon']
  return begins[verb] ?? []
}

const number = ['x', '', '-1', '0']
const count = [...number, '1.5']
const numbers = [...count, '1,x', '1,,2']
const output = ['', '/no/such/folder/file', '/']

/** option -> values that it refuses; `verb option` where it differs. */
const wrong = {
  ...{
    'compare --variants': ['', 'one'],
    'compare --against': ['', '-x'],
    'compare --bisect': ['', 'x', '..', '..main', '-x..main', 'a...b'],
    'compare --build': [''],
    'compare --node': ['', '22'],
    'compare --with': ['', 'x'],
    'compare --executor': ['', 'thread', 'bullmq'],
    'compare --size': [...count, '5000', '2'],
    'compare --cpus': number,
    'compare --processes': [...count, '1', '17'],
    'compare --expect': ['', 'x', 'slower<x', 'faster<5%'],
  },
  ...{ '--json': output, '--html': output, '--rounds': count, '--budget': number, '--cpus': number },
  ...{
    'plan --cpus': [...number, '1,x', '1,,2', '0.01', '100'],
    'plan --path': ['', 'x', '/a=0'],
    'plan --seed': ['x', '', '1.5'],
    '--arrivals': ['', 'x', 'burst', 'burst=3', 'burst=1x5s', 'burst=3x0s', here],
    ...{ '--p99': [...number, '1e9'], '--price': ['', 'x', 'cpu=x', 'cpu=-1', 'ram=3', 'cpu=0'] },
    ...{ '--spare': ['x', '', '-1', '1.5', '1000'], '--from': ['', 'none.json', here] },
    'plan --write': ['', 'x', 'helm'],
  },
  ...{ '--port': [...count.filter((value) => value !== '0'), '65536'], 'dashboard --socket': ['', here] },
  ...{ 'dashboard --queue': ['', 'a b'], 'dashboard --connection': ['', 'x', 'http://localhost'] },
  'dashboard --prefix': [''],
  'doctor --out': ['', here],
  'doctor --write': ['', here],
  ...{ 'doctor --patch': output, 'doctor --build': [''], 'doctor --setup': [''], 'doctor --reset': [''] },
  ...{ '--pid': [...count, '999999999'], '--attach': ['', 'a b'] },
  'measure --connection': ['', 'x', 'http://localhost'],
  ...{ '--task': [''], '--args': ['', '{', '[[1],2]', '[]'], '--executors': ['', 'thread', 'threads,'] },
  ...{
    '--sizes': [...numbers, '5000'],
    '--concurrency': numbers,
    '--uv': [...numbers, '5000'],
    '--goal': ['', 'x', 'responsive=0'],
  },
  ...{
    '--precision': [...number, '1'],
    '--expect': ['', 'x', 'fastr=threads'],
    '--baseline': ['', 'none.json', here],
  },
  ...{
    '--path': ['', 'x'],
    '--offload-path': ['', 'x', '/'],
    '--instances': ['x', '0', ''],
    '--connections': [...count, '1000000'],
  },
  ...{ '--worth': [...number, '0.5'], '--seed': ['x', '', '1.5'] },
  ...{
    '--rate': [...number, '10000000'],
    '--pipelining': [...count, '100000'],
    '--duration': number,
    '--warmup': ['x', '', '-1'],
  },
  ...{
    '--timeout': number,
    '--method': ['', 'A B', 'CONNECT'],
    '--header': ['', 'x', 'a b: c'],
    '--body': ['@none'],
    '--for': number,
    '--socket': [''],
  },
  ...{ '--interval': number, '--lines': ['x', '', '-1', '1.5'] },
  ...{ '--name': ['', 'a b'], '--grace': number, '--ready-timeout': number, '--health': ['', 'x'] },
  ...{
    '--health-interval': number,
    '--health-threshold': count,
    '--hang-timeout': number,
    '--max-memory': ['', 'x', '1'],
  },
  ...{
    '--max-requests': count,
    '--min': count,
    '--max': [...count, '100000'],
    '--scale-up': [...number, '2'],
    '--scale-down': [...number, '2'],
  },
  ...{ '--scale-queue': number, '--scale-interval': number, '--sticky': ['', 'adress', 'cookie='] },
  ...{ '--log-size': ['', 'x', '0'], '--log-files': count, '--cron': ['', 'x', '99 * * * *'] },
  ...{ '--stop-signal': ['', 'SIGNOT', 'SIGKILL'], '--parallel': count, '--cwd': ['/no/such/folder', here] },
  ...{ '--listen-timeout': number, '--log-file': [''] },
  ...{
    '--instance-variable': ['', '1x'],
    '--increment-variable': ['', '1x', 'THREADWISE_NO_SUCH'],
    '--ignore-watch': [''],
    '--on-event': [''],
    '--interpreter': [''],
    '--restart': ['', 'x'],
    '--stop-exit-codes': ['x', '-1', '256'],
  },
  ...{ '--restart-delay': ['x', '', '-1'], '--max-restarts': count, '--min-uptime': number },
  ...{ '--requests': count, 'load --expect': ['', 'x', 'p99', 'p98<5', 'errors<1ms'] },
  ...{ '--config': ['', 'none.js'], '--env': ['', 'x'], '--only': ['', 'x'] },
  ...{
    '--count': [...count, '1e12'],
    '--threads': ['x', '', '-1', '1.5', '5000'],
    '--calls': [...count, '1e12'],
    '--pools': [...numbers, '5000'],
  },
  ...{
    '--size': [...count, '1e6'],
    '--radius': [...count, '1e6'],
    '--kilobytes': [...count, '1e12'],
    '--delay': ['x', '', '-1'],
  },
  ...{
    '--out': output,
    '--log': output,
    'lab uploads --min': [...count, '5000'],
    '--queue': ['x', '', '-1', '1.5'],
  },
}
/** Whoever opens these paths says what is wrong with them: see the tests of the experiments. */
const paths = ['lab image --image', 'lab posts --folder']

function build() {
  const told = []
  const program = new Command('threadwise').exitOverride().configureOutput({ writeErr: (text) => told.push(text), writeOut() {} }) // prettier-ignore
  addMeasuringCommands(program)
  addServeCommands(program)
  addDashboardCommand(program)
  return { program, told }
}

/** What is told when it ends, and the code of that. */
async function refusal(args) {
  const { program, told } = build()
  try {
    await program.parseAsync(args, { from: 'user' })
    return { code: undefined, text: 'nothing' }
  } catch (error) {
    return { code: error.code, text: `${told.join('')}${error.message}` }
  }
}

function leaves(command, path = []) {
  return command.commands.flatMap((each) => {
    const own = { verb: [...path, each.name()].join(' '), options: each.options }
    return each.commands.length > 0 ? [own, ...leaves(each, [own.verb])] : [own]
  })
}

const verbs = leaves(build().program)

for (const { verb, options } of verbs) {
  describe(`threadwise ${verb}`, () => {
    for (const { long } of options.filter(({ required, optional }) => required || optional)) {
      if (paths.includes(`${verb} ${long}`)) continue
      test(`refuses wrong values of ${long}`, async () => {
        const values = wrong[`${verb} ${long}`] ?? wrong[long]
        assert.ok(values?.length > 0, `${long} has no line in the table of wrong values`)
        for (const value of values) {
          const { code, text } = await refusal([
            ...verb.split(' '),
            ...beginsWith(verb, long),
            `${long}=${value}`,
          ])
          const shown = `${long}=${value} gave ${code}: ${text}`
          assert.match(
            String(code),
            /^(commander\.invalidArgument|TW_ERR_(INVALID_OPTION|CONFIG_NOT_FOUND|CONFIG_INVALID))$/,
            shown,
          )
          const name = long.slice(2).replaceAll(/-(.)/g, (_, letter) => letter.toUpperCase())
          assert.ok(text.includes(long) || text.includes(name) || code.startsWith('TW_ERR_CONFIG'), shown)
        }
      })
    }

    for (const { long } of options) {
      test(`tells that ${long} was meant`, async () => {
        const misspelled = `${long}x`
        const { code, text } = await refusal([...verb.split(' '), ...beginsWith(verb, long), misspelled])
        assert.equal(code, 'commander.unknownOption')
        assert.ok(text.includes(`unknown option '${misspelled}'`) && text.includes('Did you mean'), text)
      })
    }
  })
}

describe('threadwise', () => {
  for (const verb of new Set(verbs.map(({ verb }) => verb))) {
    test(`tells that the verb ${verb} was meant`, async () => {
      const { code, text } = await refusal(`${verb}x`.split(' '))
      assert.match(String(code), /^(commander\.unknownCommand|TW_ERR_INVALID_OPTION)$/)
      assert.match(text, new RegExp(`[Dd]id you mean .*${verb.split(' ').at(-1)}`))
    })
  }
})

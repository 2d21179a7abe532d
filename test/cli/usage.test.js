// What the command line says about itself, and how it refuses what it does not understand.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { fixture, run } from '../helpers/program.js'

const tasks = fixture('measured/tasks.js')
const labs = ['files', 'libuv', 'render', 'memory', 'matrix']

describe('help', () => {
  const services = ['serve', 'list', 'status', 'reload', 'scale', 'stop'].map((name) => [name])
  const commands = [
    [],
    ['measure'],
    ['cpus'],
    ['load'],
    ['lab'],
    ['pools'],
    ['resize'],
    ...services,
    ...labs.map((name) => ['lab', name]),
  ]
  for (const command of commands) {
    test(`threadwise ${[...command, '--help'].join(' ')} explains itself on standard output`, async () => {
      const { code, stdout, stderr } = await run([...command, '--help'])
      assert.deepEqual([code, stderr], [0, ''])
      // Two examples come first, except for the whole and the experiments.
      const examples =
        command.length === 1 && command[0] !== 'help'
          ? `(  npx threadwise ${command[0]}.*\n|  npx threadwise .*\n){2}\n`
          : ''
      assert.match(stdout, new RegExp(`^${examples}Usage: ${['threadwise', ...command].join(' ')} `))
    })
  }

  test('names every option of measure that the documents name', async () => {
    const { stdout } = await run(['measure', '--help'])
    const options = ['task', 'args', 'executors', 'sizes', 'concurrency', 'cpus', 'uv', 'rounds', 'quick']
    for (const name of [...options, 'budget', 'worth', 'goal', 'seed', 'json', 'html', 'save'])
      assert.ok(stdout.includes(`--${name}`), name)
  })

  test('follows from no command at all, with exit code 2', async () => {
    const { code, stderr } = await run([])
    assert.equal(code, 2)
    assert.match(stderr, /^Usage: threadwise /)
  })

  test('--version prints the version of the package', async () => {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
    const { code, stdout } = await run(['--version'])
    assert.deepEqual([code, stdout], [0, `${version}\n`])
  })
})

describe('wrong usage ends with exit code 2 and says what was expected', () => {
  const measure = (...args) => ['measure', tasks, '--task', 'add', ...args]
  const wrong = [
    [['measur'], /unknown command 'measur'/],
    [['measure'], /missing required argument 'file'/],
    [measure('--quik'), /unknown option '--quik'/],
    [['cpus', '--xml'], /unknown option '--xml'/],
    [['resize', '12', 'render'], /missing required argument 'size'/],
    [['resize', 'x', 'render', '2'], /It must be the number of a process/],
    [['resize', '12', 'render', 'many'], /It must be a whole number, or a range/],
    [['serve', 'server.js', '-i', '0'], /It must be a whole number of at least 1, or max, or auto/],
    [['lab', 'fils'], /the name of the experiment must be one of files, libuv, .*, got "fils"/],
    [['lab', 'files', '--pools', '2'], /unknown option '--pools'/],
    [measure('--rounds', 'many'), /'--rounds <n>' argument 'many' is invalid\. It must be a number/],
    [measure('--rate', '0'), /rate must be a number of calls per second/],
    [measure('--expect', 'faster=inline'), /expect must be such as 'faster=threads' or 'ratio>=1\.3'/],
    [measure('--baseline', tasks), /baseline must be a file that `threadwise measure --json` has written/],
    [measure('--cpus', '1,two'), /numbers separated by commas, such as 0\.6,1,2/],
    [measure('--args', '{'), /an argument list such as/],
    [measure('--args', '[]'), /an argument list such as/],
    [measure('--args', '[[1],2]'), /an argument list such as/],
    [measure('--goal', 'fast'), /"throughput" or "responsive=MS", such as responsive=20/],
    [measure('--goal', 'responsive=-1'), /"throughput" or "responsive=MS"/],
    [
      measure('--executors', 'thread'),
      /executors must be one of inline, concurrent, threads, processes, bullmq \(did you mean threads\?\), got "thread"/,
    ],
    [measure('--rounds', '0'), /rounds must be a whole number of at least 1, got 0.*TW_ERR_INVALID_OPTION/],
    [measure('--sizes', '0'), /sizes must be a list of whole numbers from 1 to 1024, got 0/],
    [measure('--cpus', '0'), /cpus must be a list of positive numbers, got 0/],
    [measure('--worth', '0.5'), /worth must be a number of at least 1/],
    [
      measure('--html', '/nowhere/at/all.html'),
      /'--html <file>' argument .* is invalid\. It must be a file in a folder that exists/,
    ],
    [measure('--json', '/'), /'--json <file>' argument '\/' is invalid/],
    [['lab', 'files', '--html', '/nowhere/at/all.html'], /It must be a file in a folder that exists/],
    [measure('--budget', '0'), /budget must be a number of seconds/],
    [['lab', 'libuv', '--rounds', '0'], /rounds must be a whole number from 1 to 100/],
    [['lab', 'libuv', '--calls', '-1'], /calls must be/],
    [['lab', 'libuv', '--calls', '0'], /calls must be/],
    [['lab', 'libuv', '--calls', '2.5'], /calls must be/],
    [['lab', 'libuv', '--pools', '0'], /pools must be/],
    [['lab', 'files', '--count', '0'], /count must be/],
    [['lab', 'files', '--cpus', '0'], /cpus must be/],
    [['lab', 'memory', '--threads', '-1'], /threads must be/],
    [['lab', 'render', '--threads', '0'], /threads must be/],
  ]
  for (const [args, pattern] of wrong) {
    const shown = args.map((arg) => (arg === tasks ? 'FILE' : arg)).join(' ')
    test(`threadwise ${shown}`, async () => {
      const { code, stdout, stderr } = await run(args)
      assert.match(stderr, pattern)
      assert.deepEqual([code, stdout], [2, ''])
      assert.doesNotMatch(stderr, /\n\s+at /, 'no stack')
    })
  }
})

describe('what cannot be measured ends with exit code 1 and an error code', () => {
  const hopeless = {
    'a file that is not there': [['measure', 'there-is-no-such-file.js'], /there is no such file/],
    'a module without a workload': [['measure', tasks], /--task add \(found: add, block, burn\)/],
    'a server, which would keep the program alive': [
      ['measure', fixture('measured/listens.js')],
      /its default export is not a workload; if it starts a server, add --server/,
    ],
    'a task without its arguments': [
      ['measure', fixture('measured/trouble.js'), '--task', 'crash'],
      /cannot be measured: called without arguments \(--args .* gives some\), every call of crash failed/,
    ],
    'a task that is not there': [
      ['measure', tasks, '--task', 'subtract'],
      /exports no function named "subtract"/,
    ],
    'a task that always throws': [
      ['measure', fixture('measured/trouble.js'), '--task', 'crash'],
      /every call of crash failed: TypeError: this task is broken/,
    ],
    'a task that ends its process': [
      ['measure', fixture('measured/trouble.js'), '--task', 'leave'],
      /a call of leave ended its process, as process\.exit\(\) does \(exit code 7\)/,
    ],
  }
  for (const [title, [args, pattern]] of Object.entries(hopeless)) {
    test(title, async () => {
      const { code, stdout, stderr } = await run(args)
      assert.match(stderr, pattern)
      assert.match(stderr, /\[TW_ERR_WORKLOAD_INVALID\]/)
      assert.deepEqual([code, stdout], [1, ''])
      assert.doesNotMatch(stderr, /\n\s+at /, 'no stack')
    })
  }
})

test('what the permission model of Node forbids is told in a line, with the option of Node', async () => {
  const flag = process.allowedNodeEnvironmentFlags.has('--permission') ? '--permission' : '--experimental-permission' // prettier-ignore
  const env = { NODE_OPTIONS: `--no-warnings ${flag} --allow-fs-read=* --allow-fs-write=*` }
  const { code, stderr } = await run(['measure', tasks, '--task', 'add', '--quick'], { env })
  assert.equal(code, 1)
  assert.match(stderr, /\nthreadwise: The permission model of Node forbids ChildProcess.*: start it with --allow-child-process\.\n$/) // prettier-ignore
})

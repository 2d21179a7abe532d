// A day of faults in some minutes: services in the background, whose processes, sockets, records, logs, disk and clocks are taken away at random, while
// commands reload, scale, stop and start them. After each fault what the commands say must come to agree with what is there:
//
//   wanted up     it is listed, with one process, and answers when it is said to serve; or it is known to be down, with the reason
//   wanted down   it is not listed as running, nothing of it runs, and nothing answers
//
// No service is down, or doubled, and not known to be.
import { spawn, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { askService, listServices } from '../../build/serve/control/control-client.js'
import { freePort } from './free-port.js'
import { livingWith } from './processes.js'
import { program as cli } from './program.js'

/** Within which all is known again, on a busy machine. */
const SETTLE_MS = 60_000
/** On which the state lies, where it can be mounted. */
const DISK = 'size=4m,mode=0700'
const CLOCK = [
  '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1',
  '/usr/lib/aarch64-linux-gnu/faketime/libfaketime.so.1',
]

const good = `
  import { createServer } from 'node:http'
  createServer((request, response) => response.end(String(process.pid))).listen(Number(process.env.PORT), '127.0.0.1', () => process.send?.('ready'))`
const bot = `setInterval(() => {}, 1000)`
const broken = `throw new Error('a bad version')`

/** By their names: the words of their start, and whether they have a port. */
const SERVICES = {
  web: { words: ['-i', '2', '--health', '/', '--grace', '2000'], text: good, hasPort: true },
  ready: { words: ['-i', '1', '--wait-ready', '--grace', '2000'], text: good, hasPort: true },
  bot: { words: ['--portless', '--grace', '1000'], text: bot, hasPort: false },
} // prettier-ignore

/** Gives counts by fault, what was wrong, and the processes that ran then. `folder` is empty; `onFault` is told of each. */
export async function faultDay({ folder, random, ms, onFault = () => {} }) {
  const day = await openDay(folder, random)
  const counts = {}
  const wrong = []
  let processes = ''
  const end = Date.now() + ms
  try {
    for (const name of Object.keys(SERVICES)) await day.start(name)
    wrong.push(...(await day.settle('the start')))
    while (Date.now() < end && wrong.length === 0) {
      const many = 1 + Math.floor(random() * 3)
      const names = []
      for (let i = 0; i < many; i++) {
        const [name, fault] = pick(Object.entries(day.faults), random)
        counts[name] = (counts[name] ?? 0) + 1
        names.push(name)
        onFault(name)
        await fault(pick(Object.keys(SERVICES), random))
      }
      wrong.push(...(await day.settle(names.join(', '))))
    }
    if (wrong.length > 0) processes = await day.processes()
  } finally {
    await day.close()
  }
  return { counts, wrong, processes, reloads: day.reloads() }
}

function pick(list, random) {
  return list[Math.floor(random() * list.length)]
}

async function openDay(folder, random) {
  const state = join(folder, 'state')
  const run = join(folder, 'run')
  for (const path of [state, run]) mkdirSync(path, { mode: 0o700 })
  const hasDisk = spawnSync('mount', ['-t', 'tmpfs', '-o', DISK, 'none', state]).status === 0
  const clock = CLOCK.find(existsSync)
  const time = join(folder, 'time')
  writeFileSync(time, '+0')
  const mark = `THREADWISE_TEST=fault-day-${process.pid}`
  const own = { XDG_STATE_HOME: state, XDG_RUNTIME_DIR: run }
  Object.assign(process.env, own) // for what is asked from here
  const env = { ...process.env, ...own, [mark.split('=')[0]]: mark.split('=')[1] }
  const faked = clock && { LD_PRELOAD: clock, FAKETIME_TIMESTAMP_FILE: time, FAKETIME_NO_CACHE: '1', DONT_FAKE_MONOTONIC: '1' } // prettier-ignore
  const services = new Map()
  for (const [name, { words, text, hasPort }] of Object.entries(SERVICES)) {
    const file = join(folder, `${name}.mjs`)
    writeFileSync(file, text)
    services.set(name, { name, file, words, text, hasPort, port: await freePort(), isWanted: true, pid: 0 })
  }
  let reloads = 0
  const say = (args, more = {}) =>
    new Promise((resolve) => {
      const child = spawn(process.execPath, [cli, ...args], { env: { ...env, ...more }, cwd: folder })
      let text = ''
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (text += data))
      const timer = setTimeout(() => child.kill('SIGKILL'), 90_000)
      child.on('close', (code) => {
        clearTimeout(timer)
        resolve({ code, text })
      })
    })
  const stateFolder = join(state, 'threadwise')
  const recordsOf = (name) => filesOf(stateFolder).filter((file) => file.startsWith(`${name}.`) && file.endsWith('.run.json')) // prettier-ignore
  /** What there is, by the command lines of the processes: those in the background, and instances. */
  const scan = async () => {
    const all = (await livingWith(mark, 0)).map((pid) => ({ pid, command: commandOf(pid) }))
    const pidsOf = (isOne) => all.filter(({ command }) => isOne(command)).map(({ pid }) => pid)
    const isCommand = (command) => /serve-process|cli\/main/.test(command)
    return {
      backgroundOf: (name) => pidsOf((command) => command.includes(`serve-process.js ${name} `)),
      instancesOf: (name) => pidsOf((command) => command.includes(`/${name}.mjs`) && !isCommand(command)),
    }
  }
  const backgroundOf = async (name) => (await scan()).backgroundOf(name)
  const instancesOf = async (name) => (await scan()).instancesOf(name)
  const start = async (name) => {
    const { file, words, port } = services.get(name)
    const more = { PORT: String(port), ...faked }
    services.get(name).isWanted = true
    const known = await say(['start', name])
    if (known.code === 0) return known
    return say(['serve', file, '--name', name, '--daemon', '--min-uptime', '50', '--log-size', '20k', '--log-files', '2', ...words], more) // prettier-ignore
  }
  const reload = async (name) => {
    reloads++
    await askService(name, { command: 'reload' }).catch(() => {})
  }
  const kill = (pids, signal = 'SIGKILL') => {
    for (const pid of pids) {
      try {
        process.kill(pid, signal)
      } catch {
        // It has ended meanwhile.
      }
    }
  }
  const faults = {
    reload,
    'reloads, one after the other': async (name) => {
      for (let i = 0; i < 20; i++) await reload(name)
    },
    'reload all': () => Promise.all([...services.keys()].map(reload)),
    'an instance is killed': async (name) => kill((await instancesOf(name)).slice(0, 1)),
    'all instances are killed': async (name) => kill(await instancesOf(name)),
    'an instance is told to end': async (name) => kill((await instancesOf(name)).slice(0, 1), 'SIGTERM'),
    'the background process is killed': async (name) => kill(await backgroundOf(name)),
    'it is suspended for a while': async (name) => {
      const pids = await backgroundOf(name)
      kill(pids, 'SIGSTOP')
      await delay(300)
      kill(pids, 'SIGCONT')
    },
    'its socket is removed': async (name) => rmSync(join(run, 'threadwise', `${name}.sock`), { force: true }),
    'all sockets are removed': async () => rmSync(join(run, 'threadwise'), { recursive: true, force: true }),
    'the runtime folder is removed': async () => {
      rmSync(run, { recursive: true, force: true })
      await delay(200)
      mkdirSync(run, { mode: 0o700, recursive: true })
    },
    'its record is removed': async (name) => recordsOf(name).forEach((file) => rmSync(join(stateFolder, file), { force: true })),
    'its records are damaged': async (name) => {
      for (const file of [...recordsOf(name), `${name}.app.json`]) attempt(() => writeFileSync(join(stateFolder, file), pick(['', '{', '[]', '{"version":9}', '\0'], random)))
    },
    'a record of a newer version lies there': async () => attempt(() => writeFileSync(join(stateFolder, 'other.app.json'), '{"version":2}')),
    'the state is removed': async () => filesOf(stateFolder).forEach((file) => rmSync(join(stateFolder, file), { recursive: true, force: true })),
    'its log is removed': async (name) => rmSync(join(stateFolder, `${name}.log`), { force: true }),
    'its log is rotated by another tool': async (name) => attempt(() => renameSync(join(stateFolder, `${name}.log`), join(stateFolder, `${name}.log.old`))),
    'a bad version is reloaded': async (name) => {
      const { file, text } = services.get(name)
      writeFileSync(file, broken)
      await reload(name)
      writeFileSync(file, text)
    },
    scale: async (name) => void (await askService(name, { command: 'scale', instances: 1 + Math.floor(random() * 2) }).catch(() => {})),
    restart: async (name) => void (await say(['restart', name])),
    'two restart it at once': async (name) => void (await Promise.all([say(['restart', name]), say(['restart', name])])),
    'stop, start': async (name) => {
      await say(['stop', name])
      await start(name)
    },
    'delete': async (name) => {
      services.get(name).isWanted = false
      await say(['delete', name])
    },
    ...(hasDisk && {
      'the disk is full for a while': async (name) => {
        attempt(() => { for (;;) appendFileSync(join(state, 'filler'), Buffer.alloc(65_536)) })
        kill((await instancesOf(name)).slice(0, 1))
        await reload(name)
        rmSync(join(state, 'filler'), { force: true })
      },
    }),
    ...(clock && {
      'the clock is put forward': async () => writeFileSync(time, `+${Math.ceil(random() * 100)}d`),
      'the clock is put back': async () => writeFileSync(time, `-${Math.ceil(random() * 100)}d`),
    }),
  } // prettier-ignore

  /** What is not as it should be, in words. */
  const look = async () => {
    const { services: listed, silent, odd } = await listServices()
    const problems = []
    const there = await scan()
    for (const { name, isWanted, hasPort, port } of services.values()) {
      const status = listed.find((one) => one.name === name)
      const background = there.backgroundOf(name)
      const instances = there.instancesOf(name)
      const isKnown = status !== undefined || silent.includes(name) || odd.includes(name)
      const answers = hasPort && (await textOf(port))
      if (background.length > 1) problems.push(`${name}: ${background.length} run in the background`)
      if (!isKnown && background.length > 0)
        problems.push(`${name} runs in the background, and is not listed`)
      if (!isKnown && instances.length > 0)
        problems.push(`${name}: processes ${instances} run, and it is not listed`)
      if (!isKnown && answers) problems.push(`${name} answers, and is not listed`)
      if (isKnown && background.length === 0) problems.push(`${name} is listed, and nothing of it runs`)
      if (status?.state === 'serving' && hasPort && !answers) problems.push(`${name} is said to serve, and does not answer`) // prettier-ignore
      if (status?.state === 'serving' && instances.length < status.wanted) problems.push(`${name} is said to serve, and ${instances.length} of ${status.wanted} instances run`) // prettier-ignore
      if (isWanted && status && status.state !== 'serving') problems.push(`${name} is ${status.state}: ${status.lastProblem}`) // prettier-ignore
      if (isWanted && silent.includes(name)) problems.push(`${name} gives no answer`)
      if (!isWanted && (isKnown || background.length > 0)) problems.push(`${name} runs after it was deleted`)
    }
    return problems
  }

  return {
    ...{ start, faults },
    reloads: () => reloads,
    /** Its processes as the system sees them: what each waits in says why it is still there. */
    async processes() {
      const pids = await livingWith(mark, 0)
      return spawnSync('ps', ['-o', 'pid,ppid,stat,wchan:24,etime,args', '-p', pids.join()], {
        encoding: 'utf8',
      }).stdout
    },
    /** Gives what is still wrong after a while. One that is known to be down is started again, which is for its operator. */
    async settle(after) {
      let problems = []
      for (const end = Date.now() + SETTLE_MS; Date.now() < end; await delay(100)) {
        problems = await look()
        if (problems.length > 0) continue
        const { services: listed } = await listServices()
        const down = [...services.keys()].filter((name) => !listed.some((one) => one.name === name))
        if (down.length === 0) return []
        for (const name of down) {
          const { code, text } = await start(name)
          if (code !== 0) problems.push(`${name} cannot be started again: ${text}`)
        }
      }
      return problems.map((problem) => `after ${after}: ${problem}`)
    },
    async close() {
      kill(await livingWith(mark, 0), 'SIGKILL')
      await livingWith(mark)
      if (hasDisk) spawnSync('umount', ['-l', state])
    },
  }
}

function attempt(action) {
  try {
    action()
  } catch {
    // Such as a folder that was removed, or a disk that is full, which is the fault.
  }
}

function filesOf(folder) {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function commandOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}

async function textOf(port) {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/`, { headers: { connection: 'close' }, signal: AbortSignal.timeout(3000) })
    return (await answer.text()) !== ''
  } catch {
    return false
  }
} // prettier-ignore

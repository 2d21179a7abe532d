// While Vite develops (also in Vitest, SvelteKit, React Router, Astro, Nuxt) a task module is what Vite makes of it, as in the build: aliases,
// JSON, enums, `?raw`, `import.meta.env`. Workers ask the server for it when they load it.
//
//   worker ── import() ─> stub ── ModuleRunner of Vite ── socket ──> server ── environment.hot.handleInvoke() ──> code, or what to import
//
// The stub is a file, since workers import files. Its name stays; its time changes when the task module, or what that imports, does: then a
// pool with a name is made anew (runtime/executor/named-pool.ts). Vite loads the module that makes the pool again, as it watches the task module
// for it.

import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, utimesSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { FoundModule } from './find-task-modules.js'
import { stemOf } from './name-outputs.js'
import { packagesOf, writeBeside } from './page-workers.js'
import { stubCode } from './stub-code.js'

/** What is used here of a DevEnvironment of Vite 6 and later (vite.dev/guide/api-environment-runtimes). */
export interface ServedEnvironment {
  readonly name: string
  readonly config: { readonly consumer?: string }
  readonly hot?: { handleInvoke?(payload: unknown): Promise<object> }
}

export interface ViteServer {
  readonly config: { readonly root: string; readonly resolve: { readonly alias: readonly Alias[] } }
  readonly environments?: Readonly<Record<string, ServedEnvironment>>
}

interface Alias {
  readonly replacement: string
}

/** A module in Vite's graph. */
interface GraphModule {
  readonly file?: string | null
  readonly importers?: Iterable<GraphModule>
}

interface Context {
  readonly environment?: ServedEnvironment
  addWatchFile(file: string): void
}

export function serveModules() {
  let server: ViteServer | undefined
  let socket: string | undefined
  /** Path of a task module -> paths of its stubs, one for each environment. */
  const stubs = new Map<string, Set<string>>()

  /** Where the workers are that run what this environment builds: in Node, also those of tests that imitate a page. */
  function environmentFor({ environment }: Context): ServedEnvironment | undefined {
    if (environment?.config.consumer === 'client')
      return process.env.VITEST ? server?.environments?.ssr : undefined
    return environment
  }

  return {
    attach(given: ViteServer): void {
      server = given
      socket ??= listen((name) => server?.environments?.[name])
    },
    /** Its workers can ask: Vite 5 has no such way, and the file itself is taken, as it is. */
    isFor(context: Context): boolean {
      return (
        socket !== undefined &&
        environmentFor(context)?.hot?.handleInvoke !== undefined &&
        runnerOf(server!) !== undefined
      )
    },
    /** What names the stub in the code. */
    expressionOf({ file, kind }: Pick<FoundModule, 'file' | 'kind'>, context: Context): string {
      context.addWatchFile(file)
      const { name: environment } = environmentFor(context)!
      const runner = pathToFileURL(runnerOf(server!)!).href
      const stub = writeStub(file, { socket: socket!, environment, runner })
      stubs.set(file, (stubs.get(file) ?? new Set()).add(stub))
      if (kind === 'path') return JSON.stringify(stub)
      return `new URL(${JSON.stringify(`${pathToFileURL(stub).href}#${pathToFileURL(file).pathname}`)})`
    },
    /** `changed`: modules of the graph. */
    onChange(changed: readonly GraphModule[]): void {
      const now = new Date()
      for (const { file } of withImporters(changed))
        for (const stub of stubs.get(file ?? '') ?? []) if (existsSync(stub)) utimesSync(stub, now, now)
    },
  }
}

function withImporters(changed: readonly GraphModule[]): Set<GraphModule> {
  const found = new Set<GraphModule>(changed)
  for (const module of found) for (const importer of module.importers ?? []) found.add(importer)
  return found
}

/** Path of `vite/module-runner`. A project may have Vite only through its framework: Vite's own alias says where it is. */
function runnerOf({ config }: ViteServer): string | undefined {
  const client = config.resolve.alias
    .map(({ replacement }) => replacement)
    .find((each) => /[\\/]vite[\\/]dist[\\/]client[\\/]/.test(String(each)))
  const own = client
    ?.replace(/^\/@fs\//, sep === '\\' ? '' : '/')
    .replace(/client[\\/][^\\/]+$/, 'node/module-runner.js')
  if (own !== undefined && existsSync(own)) return own
  try {
    return createRequire(join(config.root, 'package.json')).resolve('vite/module-runner')
  } catch {
    return undefined
  }
}

/** Not again where it is the same, so that its time says when the task module was changed. */
function writeStub(file: string, means: { socket: string; environment: string; runner: string }): string {
  const hash = createHash('sha256').update(`${means.environment} ${file}`).digest('hex').slice(0, 8)
  const stub = join(packagesOf(dirname(file)), '.cache/threadwise', hash, `${stemOf(file)}.mjs`)
  const code = stubCode({ ...means, file: file.replaceAll('\\', '/') })
  if (existsSync(stub) && readFileSync(stub, 'utf8') === code) return stub
  writeBeside(file, stub, code)
  return stub
}

/** The path of a socket that only this user can use: its folder is private. On Windows a pipe whose name nobody can know. */
function listen(environmentOf: (name: string) => ServedEnvironment | undefined): string | undefined {
  try {
    const folder = mkdtempSync(join(tmpdir(), 'threadwise-vite-'))
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
    const path =
      process.platform === 'win32' ? `\\\\.\\pipe\\${folder.replace(/\W+/g, '-')}` : join(folder, 'modules')
    createServer((socket) => answer(socket, environmentOf))
      .on('error', () => {}) // workers are told that they cannot reach it
      .listen(path)
      .unref()
    return path
  } catch {
    return undefined
  }
}

interface Question {
  readonly id: number
  readonly environment: string
  readonly payload: unknown
}

/** One JSON text a line, both ways. */
function answer(socket: Socket, environmentOf: (name: string) => ServedEnvironment | undefined): void {
  let rest = ''
  socket.setEncoding('utf8').unref()
  socket.on('error', () => {}) // the worker has ended
  socket.on('data', (part: string) => {
    const lines = (rest + part).split('\n')
    rest = lines.pop()!
    for (const line of lines) {
      const { id, environment, payload } = JSON.parse(line) as Question
      invoke(environmentOf(environment), payload).then(
        (result) => socket.write(`${JSON.stringify({ id, answer: result })}\n`),
        (error: Error) =>
          socket.write(
            `${JSON.stringify({ id, answer: { error: { name: error.name, message: error.message, stack: error.stack } } })}\n`,
          ),
      )
    }
  })
}

async function invoke(environment: ServedEnvironment | undefined, payload: unknown): Promise<object> {
  if (!environment?.hot?.handleInvoke)
    throw new Error('The development server has no such environment any more.')
  return environment.hot.handleInvoke(payload)
}

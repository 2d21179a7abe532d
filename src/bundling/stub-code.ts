// The code of a stub: it stands in the place of a task module while Vite develops, see serve-modules.ts.

export interface Stub {
  /** Path of the task module, with slashes. */
  readonly file: string
  readonly socket: string
  /** Of Vite, by its name. */
  readonly environment: string
  /** URL of `vite/module-runner`. */
  readonly runner: string
}

/** Its default export holds the exports of the task module: nobody knows them before it is loaded. */
export function stubCode({ file, socket, environment, runner }: Stub): string {
  return `// Written by threadwise/unplugin for the development server, which gives the code of ${file.replace(/\s/g, ' ')}
import { connect } from 'node:net'
import { ModuleRunner, ESModulesEvaluator } from ${JSON.stringify(runner)}

const waiting = new Map()
let last = 0
let rest = ''
const settle = (id, answer) => {
  waiting.get(id)?.(answer)
  waiting.delete(id)
  if (waiting.size === 0) server.unref()
}
const server = connect(${JSON.stringify(socket)}).setEncoding('utf8')
server.on('data', (part) => {
  const lines = (rest + part).split('\\n')
  rest = lines.pop()
  for (const line of lines) {
    const { id, answer } = JSON.parse(line)
    settle(id, answer)
  }
})
const lost = () => {
  const message = 'The development server, which makes this task module, has ended or cannot be reached.'
  for (const id of waiting.keys()) settle(id, { error: { name: 'Error', message } })
}
server.on('error', lost).on('close', lost)
const invoke = (payload) =>
  new Promise((resolve) => {
    waiting.set(++last, resolve)
    server.ref()
    server.write(JSON.stringify({ id: last, environment: ${JSON.stringify(environment)}, payload }) + '\\n', (error) => error && lost())
  })
const runner = new ModuleRunner({ transport: { invoke }, hmr: false }, new ESModulesEvaluator())
const tasks = await runner.import(${JSON.stringify(file)})
const { default: own } = tasks
export default { ...(typeof own === 'object' ? own : {}), ...tasks }
`
}

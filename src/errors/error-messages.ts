// The table of all errors: what was expected, what came, and what to do.

import { didYouMean } from './nearest.js'

export type Details = Record<string, unknown>

/** code -> message. The message says what was expected, what came, and what to do. A retired code is never used again. */
const messages = {
  TW_ERR_INVALID_OPTION: (d: Details) => `${d.option} must be ${d.expected}, got ${show(d.received)}.`,
  TW_ERR_INVALID_CALL: (d: Details) => `${d.call} needs ${d.expected}, got ${show(d.received)}.`,
  TW_ERR_TASK_NOT_FOUND: (d: Details) =>
    `${d.module} exports no function named ${show(d.task)}${didYouMean(d.task, d.available as string[])}. It exports: ${list(d.available)}.`,
  TW_ERR_NOT_CLONEABLE: (d: Details) =>
    `${d.what} of task ${show(d.task)} cannot be sent to another thread or process: ${d.reason}. ` +
    'Send plain data (no functions, sockets or class instances with private state), or use the inline executor.',
  TW_ERR_NOT_ITERABLE: (d: Details) =>
    `stream() needs a generator function, or one that returns an iterable or async iterable of items; ` +
    `task ${show(d.task)} gave ${show(d.received)}. Call it with run().`,
  TW_ERR_CLASS_NOT_REGISTERED: (d: Details) =>
    `${d.what} of task ${show(d.task)} holds an instance of class ${d.name}, which is not registered ${d.where}. ` +
    'Import the module that calls registerClass() on both sides: in the program that makes the call, and in the task module.',
  TW_ERR_TIMEOUT: (d: Details) =>
    `Task ${show(d.task)} ran longer than its timeout of ${d.timeout} ms. Raise the timeout, or make the task check task.signal.`,
  TW_ERR_QUEUE_TIMEOUT: (d: Details) =>
    `Task ${show(d.task)} did not start within its queueTimeout of ${d.timeout} ms. Send fewer calls, add workers, or wait longer.`,
  TW_ERR_QUEUE_FULL: (d: Details) =>
    `Task ${show(d.task)} was not accepted: all workers are busy and ${d.maxQueue} calls wait (maxQueue). ` +
    "Try again later, raise maxQueue, or choose another whenFull, such as 'wait'.",
  TW_ERR_DISCARDED: (d: Details) =>
    `Task ${show(d.task)} was discarded before it started, as the ${d.which} call, because ${d.maxQueue} calls wait (maxQueue, whenFull).`,
  TW_ERR_WORKER_EXITED: (d: Details) =>
    d.worker !== undefined
      ? `Worker ${d.worker} ended ${d.how}.`
      : `The worker that ran task ${show(d.task)} ended ${d.how}. The task may have run in part; ${d.rest ?? 'the pool has replaced the worker.'}` +
        (Number(d.tries) > 1 ? ` It was tried ${d.tries} times, and each time its worker ended.` : ''),
  TW_ERR_START_FAILED: (d: Details) =>
    `A worker could not start ${d.module}: ${withoutStop(d.reason)}. ${d.advice ?? howToLoad(String(d.reason))}`,
  TW_ERR_START_TIMEOUT: (d: Details) =>
    `A worker did not finish loading ${d.module} within startTimeout (${d.timeout} ms). ` +
    'Look for a top-level await, a loop or a setup() that never ends, or raise startTimeout.',
  TW_ERR_CLOSED: (d: Details) =>
    `This executor was closed${d.late ? `, and task ${show(d.task)} did not finish within closeTimeout (${d.timeout} ms)` : ''}. ` +
    'Create a new executor for new tasks.',
  TW_ERR_DESTROYED: () =>
    'This executor was destroyed; its tasks were given up. Create a new executor for new tasks.',
  TW_ERR_STORE_UNAVAILABLE: (d: Details) =>
    `The store of queue ${show(d.queue)} ${d.problem ?? 'does not answer'}. ${d.task === undefined ? '' : `Task ${show(d.task)} was given up; it may run all the same. `}${d.advice ?? 'Look whether it runs, and whether this program can reach it.'}`,
  TW_ERR_CALL_LOST: (d: Details) =>
    `The store of queue ${show(d.queue)} has lost the job of task ${show(d.task)}: it was restarted without its data, or somebody has removed the job. ` +
    'The task may have run. Let the store persist its data, or allow { onWorkerExit: { retries } }.',
  TW_ERR_NO_WORKER: (d: Details) =>
    `No worker of queue ${show(d.queue)} has answered for ${d.timeout} ms (workerTimeout), so task ${show(d.task)} was given up. ` +
    `Start one: threadwise worker FILE --queue ${d.queue}.`,
  TW_ERR_PAYLOAD_TOO_LARGE: (d: Details) =>
    `${d.what} of task ${show(d.task)} takes ${d.bytes} bytes in the store; ${d.most} are allowed (maxPayload). ` +
    'Send where it is kept (a path, a key of an object store) instead of the data, or raise maxPayload.',
  TW_ERR_WORKLOAD_INVALID: (d: Details) =>
    `${d.file} cannot be measured: ${withoutStop(d.reason)}. See docs/measuring.md for what can.`,
  TW_ERR_PROFILE_NOT_FOUND: (d: Details) =>
    `No threadwise.json was found in ${d.searched} or a folder above it. Run "threadwise measure FILE --save" first, or pass { profile }.`,
  TW_ERR_PROFILE_INVALID: (d: Details) =>
    `${d.file} is not a valid profile: ${d.reason}. Write it again with "threadwise measure FILE --save".`,
  TW_ERR_PROFILE_MISMATCH: (d: Details) =>
    `${d.file} says nothing about ${d.wanted}; it was measured for ${list(d.available)}. Measure this one with --save, or pass another { profile }.`,
  TW_ERR_PACKAGE_MISSING: (d: Details) =>
    `${d.user} works with ${list(d.missing)}, not found from ${d.folder}. ` +
    `Run "npm install ${d.install}" there, and start it again.`,
  TW_ERR_INSTANCE_FAILED: (d: Details) =>
    `An instance of ${d.file} did not become ready: ${d.reason}. ${d.rest} Correct what fails, and try again.`,
  TW_ERR_SERVICE_FAILED: (d: Details) =>
    `${d.name} gave up: ${Number(d.times) > 1 ? `${d.times} instances in a row ended soon after their start.` : 'it is not to be started again.'} ` +
    `${d.last} Correct what fails, and start it again.`,
  TW_ERR_SERVICE_STOPPED: (d: Details) =>
    `${d.name} was stopped, or stops. Start it again with "threadwise serve" or serve().`,
  TW_ERR_SERVICE_NOT_FOUND: (d: Details) =>
    d.remembered === undefined
      ? `No service named ${show(d.name)} runs for this user. Running: ${list(d.running)}. Look with "threadwise list", or start it.`
      : `No service named ${show(d.name)} was started in the background by this user. There were: ${list(d.remembered)}. Start it with "threadwise serve --daemon".`,
  TW_ERR_SERVICE_SILENT: (d: Details) =>
    `${d.name} runs, but gave no answer within 3 seconds. Its process is suspended or blocked: let it go on (kill -CONT), or end it (kill -KILL).`,
  TW_ERR_SERVICE_EXISTS: (d: Details) =>
    `A service named ${show(d.name)} runs already. Stop it with "threadwise stop ${d.name}", or choose another --name.`,
  TW_ERR_RUNTIME_FOLDER: (d: Details) =>
    `The folder ${d.folder} cannot hold control sockets: ${d.reason}. Set XDG_RUNTIME_DIR to a folder that only you can write to.`,
  TW_ERR_LOG_FOLDER: (d: Details) =>
    `The folder ${d.folder} cannot hold log files: ${d.reason}. Set XDG_STATE_HOME to a folder of yours, or correct this one.`,
  TW_ERR_LOG_NOT_FOUND: (d: Details) =>
    `There is no log of a service named ${show(d.name)} in ${d.folder}. Services have one when they run with --daemon. Logs there: ${list(d.available)}.`,
  TW_ERR_BACKGROUND_FAILED: (d: Details) =>
    `${d.name} did not start in the background: ${d.output} (its process ended ${d.how} before it served).`,
  TW_ERR_CONFIG_NOT_FOUND: (d: Details) =>
    `No configuration was found: ${d.searched}. Write one (see docs/serving.md), choose it with --config FILE, or name the file to serve.`,
  TW_ERR_CONFIG_INVALID: (d: Details) =>
    `${d.file} is not a valid configuration: ${d.reason}. See docs/serving.md for its form.`,
  TW_ERR_LIMIT_UNAVAILABLE: (d: Details) => `A CPU limit of ${d.cpus} cannot be applied here: ${d.reason}.`,
} as const

/** All codes of errors; docs/errors.md says when each comes and what to do. */
export type ErrorCode = keyof typeof messages

/** All codes, for documentation and tests. */
export const errorCodes = Object.keys(messages) as ErrorCode[]

export function messageOf(code: ErrorCode, details: Details): string {
  return messages[code](details)
}

function show(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value === 'function') return 'a function'
  if (Array.isArray(value)) return `an array of ${value.length}`
  if (typeof value === 'object' && value !== null) return `an object with ${list(Object.keys(value))}`
  return String(value)
}

/** The sentence around it goes on or has its own. */
function withoutStop(reason: unknown): string {
  return String(reason).replace(/\.$/, '')
}

/** A new package.json says "type": "commonjs" (npm 11), and the file is written as a module. */
function howToLoad(reason: string): string {
  if (reason.startsWith('ThreadwiseError')) return 'The module asked for that as it was loaded.'
  const isModule = /Unexpected token 'export'|Cannot use import statement/.test(reason)
  if (!isModule)
    return 'Check that the file loads with a plain import(), and that its setup() runs if it has one.'
  return 'It is an ES module: put "type": "module" into its package.json, or name it .mjs.'
}

function list(values: unknown): string {
  return Array.isArray(values) && values.length > 0 ? values.join(', ') : 'nothing'
}

// The table of all errors: what was expected, what came, and what to do.

import { callErrorMessages } from './call-error-messages.js'
import { list, show, withoutStop } from './shown-values.js'
import { taskErrorMessages, type Details } from './task-error-messages.js'

export type { Details }

/** code -> message. The message says what was expected, what came, and what to do. A retired code is never used again. */
const messages = {
  ...taskErrorMessages,
  ...callErrorMessages,
  TW_ERR_START_FAILED: (d: Details) =>
    callErrorMessages.TW_ERR_START_FAILED({
      ...d,
      advice: d.advice ?? howToLoad(String(d.reason), String(d.module)),
    }),
  TW_ERR_STORE_UNAVAILABLE: (d: Details) =>
    `The store of queue ${show(d.queue)} ${d.problem ?? 'does not answer'}. ${d.task === undefined ? '' : `Task ${show(d.task)} was given up; it may run all the same. `}${d.advice ?? 'Look whether it runs, and whether this program can reach it.'}`,
  TW_ERR_CALL_LOST: (d: Details) =>
    `The store of queue ${show(d.queue)} has lost the job of task ${show(d.task)}: it was restarted without its data, or somebody has removed the job. ` +
    'The task may have run. Let the store persist its data, or allow { onWorkerExit: { retries } }.',
  TW_ERR_UNTRUSTED: (d: Details) =>
    `${d.what} in queue ${show(d.queue)} was not written by a caller or worker that has the secret of the queue, or not by threadwise at all. ` +
    'Give the same { secret } to all of them, and look who else may write to the store.',
  TW_ERR_NO_WORKER: (d: Details) =>
    `No worker of queue ${show(d.queue)} has answered for ${d.timeout} ms (workerTimeout), so task ${show(d.task)} was given up. ` +
    `Start one: threadwise worker FILE --queue ${d.queue}.`,
  TW_ERR_PAYLOAD_TOO_LARGE: (d: Details) =>
    `${d.what} of task ${show(d.task)} takes ${d.bytes} bytes in the store; ${d.most} are allowed (maxPayload). ` +
    'Send where it is kept (a path, a key of an object store) instead of the data, or raise maxPayload.',
  TW_ERR_WORKLOAD_INVALID: (d: Details) =>
    `${d.file} cannot be measured: ${withoutStop(d.reason)}. See docs/measuring.md for what can.`,
  TW_ERR_VERSION_UNAVAILABLE: (d: Details) =>
    `${show(d.ref)} cannot be compared: ${withoutStop(d.reason)}. See docs/comparing.md for what can.`,
  TW_ERR_PROFILE_NOT_FOUND: (d: Details) =>
    `No threadwise.json was found in ${d.searched} or a folder above it. Run "threadwise measure FILE --save" first, or pass { profile }.`,
  TW_ERR_PROFILE_INVALID: (d: Details) =>
    `${d.file} is not a valid profile: ${d.reason}. Write it again with "threadwise measure FILE --save".`,
  TW_ERR_PROFILE_MISMATCH: (d: Details) =>
    `${d.file} says nothing about ${d.wanted}; it was measured for ${list(d.available)}. Measure this one with --save, or pass another { profile }.`,
  TW_ERR_PACKAGE_MISSING: (d: Details) =>
    `${d.user} works with ${list(d.missing)}, ${d.unsafe ? `and the one that ${d.folder} finds is not run: ${d.unsafe}` : `not found from ${d.folder}`}. ` +
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
    `The folder ${d.folder} cannot hold log files: ${d.reason}. Correct it, or choose another one by XDG_STATE_HOME, or by logFile for one service.`,
  TW_ERR_LOG_NOT_FOUND: (d: Details) =>
    `There is no log of a service named ${show(d.name)} in ${d.folder}. Services have one when they run with --daemon. Logs there: ${list(d.available)}.`,
  TW_ERR_BACKGROUND_FAILED: (d: Details) =>
    d.how === undefined
      ? `${d.name} did not start in the background: ${asSentence(d.output)}`
      : `${d.name} did not start in the background: ${d.output} (its process ended ${d.how} before it served).`,
  TW_ERR_CONFIG_NOT_FOUND: (d: Details) =>
    `No configuration was found: ${d.searched}. Write one (see docs/serving.md), choose it with --config FILE, or name the file to serve.`,
  TW_ERR_CONFIG_INVALID: (d: Details) =>
    `${d.file} is not a valid configuration: ${d.reason}. See docs/serving.md for its form.`,
  TW_ERR_LIMIT_UNAVAILABLE: (d: Details) => `A CPU limit of ${d.cpus} cannot be applied here: ${d.reason}.`,
} as const

/** What others have said may have no end. */
function asSentence(said: unknown): string {
  const text = String(said)
  return /[.!?]$/.test(text) ? text : `${text}.`
}

/** A new package.json says "type": "commonjs" (npm 11), and the file is written as a module. */
function howToLoad(reason: string, module: string): string {
  if (reason.startsWith('ThreadwiseError')) return 'The module asked for that as it was loaded.'
  const isModule = /Unexpected token 'export'|Cannot use import statement/.test(reason)
  if (!isModule)
    return 'Check that the file loads with a plain import(), and that its setup() runs if it has one.'
  const ending = module.endsWith('ts') ? '.mts' : '.mjs'
  return `It is an ES module: put "type": "module" into its package.json, or name it ${ending}.`
}

/** All codes of errors; docs/errors.md says when each comes and what to do. */
export type ErrorCode = keyof typeof messages

/** All codes, for documentation and tests. */
export const errorCodes = Object.keys(messages) as ErrorCode[]

export function messageOf(code: ErrorCode, details: Details): string {
  return messages[code](details)
}

// A process that runs already: it is profiled and its calls are counted, and it goes on as before.

import type { DoctorResult } from '../results/doctor-result.js'
import type { AppWindow } from './agent/messages.js'
import { attach, attachRegistered, type Attached, type InspectorUse } from './attach/attach.js'
import { childrenOf, factsOf } from './attach/process-facts.js'
import { whyNotAttach } from './attach/why-not-attach.js'
import { describeLoop, emptyResult, lostResult, problemResult, sharesOf } from './conclude.js'
import { addCallCounts, findFunctions } from './find-functions.js'
import { judgeFunctions } from './judge-functions.js'
import { beginLook, countCalls, lookCalmly, profile, type Calm } from './look.js'
import type { ResolvedDoctor } from './options.js'
import { requestsOfOthers } from './send-requests.js'

export async function diagnoseProcess(options: ResolvedDoctor, pid: number): Promise<DoctorResult> {
  const named = { ...options, command: withoutEntry(factsOf(pid)?.words ?? []) }
  const attached = (await attachRegistered(pid, options.signal)) ?? (await attachByInspector(options, pid))
  if (typeof attached === 'string') return problemResult(named, 'cannot-attach', attached)
  try {
    return await lookAtProcess(named, attached)
  } catch (error) {
    return lostResult(named, error)
  } finally {
    await attached.leave()
  }
}

async function attachByInspector(
  { onPhase, signal }: ResolvedDoctor,
  pid: number,
): Promise<Attached | string> {
  const why = whyNotAttach(pid)
  if (why !== null) return why
  onPhase(
    `opening the inspector of process ${pid} for a moment, in which any user of this machine can reach it`,
  )
  return attach(pid, signal)
}

async function lookAtProcess(options: ResolvedDoctor, attached: Attached): Promise<DoctorResult> {
  const { agent, lost } = attached
  const look = beginLook({ options, agent, requests: requestsOfOthers, lost })
  const calm = await lookCalmly(look)
  // Without requests nobody could say how many calls there are while nothing is counted, and so slow.
  const counts = calm.requests > 0 ? await countCalls(look) : null
  const counted = counts?.busy ?? null
  const profiled = await profile(look, counts !== null)
  const found = findFunctions(profiled)
  if (counts) addCallCounts(found, profiled, counts)
  judgeFunctions(found.functions, found.scripts, null)
  const loop = { busy: calm.busy, delayMs: calm.delayMs }
  const functions = found.functions.map(({ row }) => row)
  const told = describeLoop({ loop, found, origin: `process ${agent.pid}`, failure: null })
  const inspector = attached.inspector()
  return {
    ...emptyResult(options, 'process'),
    node: agent.node,
    loop,
    load: loadOf(calm),
    shares: sharesOf(found.shares),
    packages: found.packages,
    functions,
    trace: found.trace,
    ...told,
    sentence: [told.sentence, childSentence(told.problem, agent.pid), leftOpen(inspector)]
      .filter(Boolean)
      .join(' '),
    cost: {
      inspectorMs: inspector.openMs,
      inspectorLeftAt: inspector.leftAt,
      by: attached.by,
      countSeconds: counted?.seconds ?? 0,
      profileSeconds: profiled.seconds,
      countSlower: counted && slowerBy(counted, calm),
      profileSlower: slowerBy(profiled, calm),
    },
    steps: functions.some(({ verdict }) => verdict === null)
      ? ['See which of them can move, in an app that doctor starts: npx threadwise doctor FILE']
      : [],
  }
}

/** Such as of npm, which only waits for the app. */
function childSentence(problem: DoctorResult['problem'], pid: number): string | null {
  const [child] = problem === 'idle' ? childrenOf(pid) : []
  return child === undefined ? null : `It has started process ${child}: is that your app?`
}

function leftOpen({ leftAt }: InspectorUse): string | null {
  if (leftAt === null) return null
  return `Its inspector is open still, at ${leftAt}, since another program is connected to it: any user of this machine can run code in the process there. It is closed as soon as that program has gone.`
}

function loadOf({ requests, seconds }: Calm): DoctorResult['load'] {
  return requests === 0
    ? null
    : { paths: [], perSecond: requests / seconds, requests, failed: 0, isOwn: false }
}

/** How many times the CPU time a request took; null where there were too few of them. */
function slowerBy(window: AppWindow, calm: AppWindow): number | null {
  if (window.requests < MIN_REQUESTS || calm.requests < MIN_REQUESTS) return null
  return window.cpuMs / window.requests / (calm.cpuMs / calm.requests)
}

const MIN_REQUESTS = 10

/** As its user has started it: an instance of `serve` gets its first code by an option of Node. */
function withoutEntry(words: readonly string[]): string[] {
  return words.filter((word, index) => !isCode(word) && !(word === '--import' && isCode(words[index + 1])))
}

function isCode(word: string | undefined): boolean {
  return /^data:text\/javascript/.test(word ?? '')
}

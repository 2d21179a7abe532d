// What packages took outside of the user's functions, and what helps there.

import type { Profiler } from 'node:inspector'
import type { DoctorPackage } from '../results/doctor-result.js'
import { selfTimes } from './profile/sample-times.js'
import { shownFunction } from './shown-words.js'

type Frame = Profiler.ProfileNode['callFrame']

/** Time by the package, its function, and what of the language or of Node.js that called; empty: nothing. */
interface PackageTime {
  readonly name: string
  readonly calls: string
  readonly inner: string
  us: number
}

/** Of the busy time. */
const MIN_SHARE = 0.05
const MAX_PACKAGES = 5

const ADVICE: readonly (readonly [packages: RegExp, advice: string])[] = [
  [
    /^(body-parser|express|koa-body|koa-bodyparser|co-body|raw-body|secure-json-parse|qs)$/,
    'take smaller bodies (its limit), take the bytes (express.raw) and parse them in a task that gives only what you need, or read them as a stream',
  ],
  [
    /^(graphql|graphql-yoga|@graphql-.*|@apollo\/.*|apollo-server.*|mercurius)$/,
    'give fewer rows (pages, a limit of the depth and of the cost), or run the whole query in a task that gives its result as text',
  ],
  [
    /^(express|fastify|koa|hono|router|find-my-way|@nestjs\/.*)$/,
    'look at the middleware of this route, and upgrade',
  ],
  [
    /^(fast-json-stringify|safe-stable-stringify|superjson|devalue)$/,
    'give less, or make the text in a task where the data comes from there anyway',
  ],
  [
    /^(pg|mysql2?|mongodb|mongoose|@prisma\/.*|sequelize|typeorm|knex|bson|ioredis|redis)$/,
    'ask for fewer rows and columns, or read them as a stream',
  ],
  [/^(winston|pino|bunyan|log4js|morgan)$/, 'log less, or through a transport that runs in a thread'],
  [/^(compression|pako)$/, 'compress in what stands before the app, or only what is worth it'],
]

/** @param isUsers whether a function is the user's: what is below it counts to that */
export function packageTimes(profile: Profiler.Profile, isUsers: (frame: Frame) => boolean): DoctorPackage[] {
  const { times, busyUs } = timesOf(profile, isUsers)
  const names = [...new Set(times.map(({ name }) => name))]
  const packages = names.map((name): DoctorPackage => {
    const own = times.filter((each) => each.name === name) // the largest first
    const us = own.reduce((sum, each) => sum + each.us, 0)
    const [{ calls, inner }] = own as [PackageTime]
    return {
      name,
      function: inner === '' || inner === calls ? calls : `${calls}, in it ${inner}`,
      share: busyUs > 0 ? us / busyUs : 0,
      advice: adviceOn(name),
    }
  })
  const large = packages.filter(({ share }) => share >= MIN_SHARE)
  return large.sort((a, b) => b.share - a.share).slice(0, MAX_PACKAGES)
}

function timesOf(profile: Profiler.Profile, isUsers: (frame: Frame) => boolean) {
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]))
  const selfUs = selfTimes(profile)
  const times = new Map<string, PackageTime>()
  let busyUs = 0
  const visit = (node: Profiler.ProfileNode, outer: Frame | null, isBelowUsers: boolean) => {
    const { callFrame: frame } = node
    const us = frame.functionName === '(idle)' ? 0 : (selfUs.get(node.id) ?? 0)
    const isBelow = isBelowUsers || isUsers(frame)
    const inPackage = packageOf(frame.url) === null ? outer : frame
    busyUs += us
    if (us > 0 && !isBelow && inPackage !== null && frame.functionName !== '(garbage collector)')
      addTime(times, inPackage, { us, inner: inPackage === frame ? '' : shownFunction(frame) })
    for (const id of node.children ?? []) visit(nodes.get(id)!, inPackage, isBelow)
  }
  if (profile.nodes[0]) visit(profile.nodes[0], null, false)
  return { times: [...times.values()].sort((a, b) => b.us - a.us), busyUs }
}

function packageOf(url: string): string | null {
  return [...url.replaceAll('\\', '/').matchAll(/\/node_modules\/((?:@[^/]+\/)?[^/]+)/g)].at(-1)?.[1] ?? null
}

function addTime(
  times: Map<string, PackageTime>,
  { url, functionName }: Frame,
  { us, inner }: { us: number; inner: string },
): void {
  const name = packageOf(url)!
  const key = `${name} ${functionName} ${inner}`
  const known = times.get(key) ?? { name, calls: functionName || '(anonymous)', inner, us: 0 }
  known.us += us
  times.set(key, known)
}

function adviceOn(name: string): string {
  const known = ADVICE.find(([packages]) => packages.test(name))?.[1]
  return (
    known ??
    'give it less to do, use its stream or its asynchronous version, upgrade it, or put your call of it into a function of your own, which might move'
  )
}

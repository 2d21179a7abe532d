// Which servers of an instance are asked for its health: that of a port, or all that speak HTTP.
//
//   :3000/health   the server on that port must answer with 2xx
//   /health        one must, and none may fail: a status of 500 or more, or no answer. Others do not know the path (404), lead elsewhere
//                  (301) or ask for a password (401), and say nothing
//
// Of several checks, all must succeed.

import type { Server } from 'node:net'
import { askHealth, type Health } from './ask-health.js'

/** `checks`: with a space between each two. */
export async function askServers(servers: readonly Server[], checks: string): Promise<Health> {
  const all = await Promise.all(checks.split(' ').map((check) => askOne(servers, check)))
  return all.find(({ isHealthy }) => !isHealthy) ?? all[0]!
}

async function askOne(servers: readonly Server[], check: string): Promise<Health> {
  const [, port, path = check] = /^:(\d+)(.*)$/s.exec(check) ?? []
  const asked = port === undefined ? servers : servers.filter((server) => portOf(server) === Number(port))
  if (asked.length === 0)
    return {
      isHealthy: false,
      status: null,
      answer: port === undefined ? 'it has no HTTP server' : `it has no HTTP server on port ${port}`,
    }
  const answers = await Promise.all(
    asked.map(async (server) => ({ server, health: await askHealth(server, path) })),
  )
  if (answers.length === 1) return answers[0]!.health
  const hasFailed = answers.some(({ health: { status } }) => status === null || status >= 500)
  const isHealthy = !hasFailed && answers.some(({ health }) => health.isHealthy)
  const answer = answers
    .map(({ server, health }) => `port ${portOf(server) ?? '-'}: ${health.answer}`)
    .join('; ')
  return { isHealthy, status: null, answer }
}

function portOf(server: Server): number | undefined {
  const address = server.address()
  return address !== null && typeof address === 'object' ? address.port : undefined
}

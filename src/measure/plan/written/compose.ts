// A service of Compose with its replicas and resources.

import { commented, type ContainerSettings } from './settings.js'

export function composeText({ name, words, containers, cpus, memory, origin }: ContainerSettings): string {
  const limit = memory === null ? '' : `\n          memory: ${memory.limitMb}M # the heap may grow: watch it`
  const reserved = memory === null ? '' : `\n          memory: ${memory.requestMb}M`
  return `${commented(origin)}# A balancer in front of the replicas is yours to add.
services:
  ${name}:
    image: IMAGE # yours
    command: [${words.map((word) => JSON.stringify(word)).join(', ')}]
    deploy:
      replicas: ${containers}
      resources:
        limits:
          cpus: '${cpus}'${limit}
        reservations:
          cpus: '${cpus}'${reserved}
`
}

// What happens in a service, as a line of its log.

import type { ServeEvent } from '../../serve/contract/events.js'

export function describeEvent(event: ServeEvent): string {
  switch (event.type) {
    case 'ready':
      return `instance ${event.instance} (process ${event.pid}) serves`
    case 'draining':
      return `instance ${event.instance} (process ${event.pid}) takes no more connections`
    case 'gone':
      return `instance ${event.instance} (process ${event.pid}) ended ${event.how}${event.wasWanted ? '' : ', unexpectedly'}`
    case 'replacing':
      return `another one starts ${event.delayMs === 0 ? 'now' : `in ${event.delayMs} ms`}`
    case 'renewing':
      return `instance ${event.instance} (process ${event.pid}) is to be replaced: ${event.found} (${event.limit})`
    case 'done':
      return `instance ${event.instance} (process ${event.pid}) is done`
    case 'skipped':
      return `instance ${event.instance} (process ${event.pid}) still runs: this time is left out`
    case 'scaling':
      return `${event.to} instances from now on, not ${event.from}: ${event.found}`
    case 'warning':
      return event.text
    case 'reloaded':
      return `reloaded ${event.instances} ${event.instances === 1 ? 'instance' : 'instances'}`
  }
}

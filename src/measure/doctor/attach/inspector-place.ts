// Where the inspector of a process listens when it is opened.

import type { ProcessFacts } from './process-facts.js'

/** Of Node. */
const DEFAULT = { host: '127.0.0.1', port: 9229 }

/** By its options, such as --inspect-port=9300 and --inspect=0.0.0.0. */
export function inspectorPlace({ words, nodeOptions }: Pick<ProcessFacts, 'words' | 'nodeOptions'>): {
  host: string
  port: number
} {
  const place = { ...DEFAULT }
  for (const word of [...nodeOptions.split(' '), ...words]) {
    const value = /^--(?:inspect(?:-brk|-wait|-port)?|debug-port)=(.+)$/.exec(word)?.[1]
    if (value === undefined) continue
    if (/^\d+$/.test(value)) place.port = Number(value)
    else {
      const [, host, port] = /^(\[.+\]|[^:]*)(?::(\d+))?$/.exec(value) ?? []
      if (host) place.host = host
      if (port) place.port = Number(port)
    }
  }
  return place
}

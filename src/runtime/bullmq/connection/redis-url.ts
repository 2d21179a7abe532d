// URLs of Redis: one server, several sentinels that know it, or the first servers of a cluster.
//
//   redis://user:password@host:6379/2              rediss:// for TLS
//   redis+sentinel://user:password@host1,host2:26380/name/2?sentinelPassword=...
//   redis+cluster://user:password@host1:6379,host2:6379

const SEVERAL =
  /^(?<scheme>rediss?)\+(?<kind>sentinel|cluster):\/\/(?:(?<user>[^:@/]*)(?::(?<password>[^@/]*))?@)?(?<hosts>[^/?@]+)(?:\/(?<name>[^/?]*))?(?:\/(?<db>\d+))?(?:\?(?<query>.*))?$/

export interface Several {
  readonly kind: 'sentinel' | 'cluster'
  readonly isTls: boolean
  readonly username: string | undefined
  readonly password: string | undefined
  readonly hosts: readonly { readonly host: string; readonly port: number }[]
  /** Of the server that the sentinels know. */
  readonly name: string
  readonly db: number
  readonly sentinelUsername: string | undefined
  readonly sentinelPassword: string | undefined
}

const PORTS = { sentinel: 26_379, cluster: 6379 }

export function isSingleUrl(url: string): boolean {
  if (!/^rediss?:\/\/./.test(url) || !URL.canParse(url)) return false
  const { hostname, pathname } = new URL(url)
  return hostname !== '' && /^(?:\/\d*)?$/.test(pathname)
}

export function isSeveralUrl(url: string): boolean {
  return readSeveral(url) !== undefined
}

/** Undefined: it is no such URL. */
export function readSeveral(url: string): Several | undefined {
  const parts = SEVERAL.exec(url)?.groups
  if (!parts) return undefined
  const kind = parts.kind as Several['kind']
  const hosts = parts.hosts!.split(',').map((text) => readHost(text, PORTS[kind]))
  const name = parts.name ?? ''
  const isComplete = kind === 'sentinel' ? name !== '' : name === '' && parts.db === undefined
  if (hosts.includes(undefined) || !isComplete) return undefined
  const query = new URLSearchParams(parts.query ?? '')
  return {
    kind,
    isTls: parts.scheme === 'rediss',
    hosts: hosts as Several['hosts'],
    name,
    db: Number(parts.db ?? 0),
    username: decode(parts.user) || undefined,
    password: decode(parts.password) || undefined,
    sentinelUsername: query.get('sentinelUsername') ?? undefined,
    sentinelPassword: query.get('sentinelPassword') ?? undefined,
  }
}

function readHost(text: string, usual: number): { host: string; port: number } | undefined {
  const [, host, port] = /^(\[[^\]]+\]|[^:]+)(?::(\d{1,5}))?$/.exec(text) ?? []
  return host ? { host: host.replace(/^\[|\]$/g, ''), port: Number(port ?? usual) } : undefined
}

function decode(text: string | undefined): string {
  try {
    return decodeURIComponent(text ?? '')
  } catch {
    return text ?? ''
  }
}

// A template unit of systemd: one instance of it for each container of the plan.

import { commented, type ContainerSettings } from './settings.js'

export function systemdText({ name, words, containers, cpus, memory, origin }: ContainerSettings): string {
  const names = containers === 1 ? `${name}@1` : `${name}@{1..${containers}}`
  const limits =
    memory === null ? '' : `MemoryHigh=${memory.requestMb * 1.25}M\nMemoryMax=${memory.limitMb}M\n`
  return `${commented(origin)}# Save as /etc/systemd/system/${name}@.service, then: systemctl enable --now ${names}
# A balancer in front of ports 3001, 3002 .. is yours to add.
[Unit]
Description=${name} %i

[Service]
# WorkingDirectory= is yours: the folder of the app
ExecStart=/usr/bin/env ${words.map(quoted).join(' ')}
Environment=PORT=300%i
CPUQuota=${Math.round(100 * cpus)}%
CPUQuotaPeriodSec=100ms
${limits}Restart=always

[Install]
WantedBy=multi-user.target
`
}

/** systemd.service(5): quotes and escapes as in C, % and $ doubled. */
function quoted(word: string): string {
  const text = word.replace(/%/g, '%%').replace(/\$/g, '$$$$')
  if (/^[\w@%$+=:,./-]+$/.test(text)) return text
  const escaped = text
    .replace(/["\\]/g, '\\$&')
    .replace(/\p{Cc}/gu, (char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`)
  return `"${escaped}"`
}

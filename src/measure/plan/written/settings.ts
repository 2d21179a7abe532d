// What Kubernetes, Compose and systemd are told of a configuration.

export interface ContainerSettings {
  /** Of the app, as a name for hosts: lower case letters, digits and hyphens. */
  readonly name: string
  /** What starts it. */
  readonly words: readonly string[]
  readonly containers: number
  readonly cpus: number
  /** Of one container: what was measured, and where it ends. */
  readonly memory: { readonly requestMb: number; readonly limitMb: number } | null
  /** CPU use in percent at which the p99 was predicted. */
  readonly usePercent: number
  readonly spare: number
  /** Lines that say from what it follows, without a mark of a comment. */
  readonly origin: readonly string[]
}

export function commented(lines: readonly string[]): string {
  return lines.map((line) => `# ${line}\n`).join('')
}

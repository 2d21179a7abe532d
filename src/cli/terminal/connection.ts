// The store of a queue, where the command line does not name one.

export const DEFAULT_CONNECTION = 'redis://127.0.0.1:6379'

/** From the environment: a password on the command line would be seen by `ps`. */
export function defaultConnection(): string {
  return process.env.THREADWISE_CONNECTION ?? DEFAULT_CONNECTION
}

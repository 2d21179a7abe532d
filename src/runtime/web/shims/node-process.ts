// In place of Node's `process`, of which a browser has nothing. Warnings go to the console.

interface Warning {
  readonly code: string
  readonly detail?: string
}

export const process = {
  env: {},
  versions: {},
  emitWarning(message: string, { code, detail }: Warning): void {
    console.warn(`[${code}] ${message}${detail === undefined ? '' : `\n${detail}`}`)
  },
}

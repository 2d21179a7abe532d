// In place of Node's `process`, of which a browser has nothing. Warnings go to the console.

interface Warning {
  readonly code: string
  readonly detail?: string
}

/** Of another name: bundlers put values in place of `process.env.NODE_ENV` only where no `process` is declared. */
const pageProcess = {
  env: {},
  versions: {},
  emitWarning(message: string, { code, detail }: Warning): void {
    console.warn(`[${code}] ${message}${detail === undefined ? '' : `\n${detail}`}`)
  },
}

export { pageProcess as process }

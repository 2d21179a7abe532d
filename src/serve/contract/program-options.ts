// What runs in an app without a port: the words of its command, from the options. And the options that mean nothing there.

import { checkOption, checkTexts } from '../../errors/check-options.js'
import { needsPort } from './option-table.js'
import type { ServeOptions } from './options.js'

/** A file, or the words of a command. */
export type ServedFile = string | URL | readonly string[]

export interface ProgramWords {
  readonly words: readonly string[]
  /** It is a file for Node, with process.send(). */
  readonly hasChannel: boolean
}

export function isWords(file: unknown): file is readonly string[] {
  return Array.isArray(file)
}

export function commandText(words: readonly string[]): string {
  checkTexts('file', words)
  checkOption(words.length > 0 && words[0] !== '', 'file', 'a path, or the words of a command', words)
  return words.join(' ')
}

/**
 * Null for a file that listens.
 *
 * @throws TW_ERR_INVALID_OPTION
 */
export function resolveProgram(file: ServedFile, path: string, options: ServeOptions): ProgramWords | null {
  const { args = [], execArgv, interpreter, waitReady } = options
  const isCommand = isWords(file)
  const { portless = isCommand || interpreter !== undefined } = options
  if (!portless) {
    const isNode = !isCommand && interpreter === undefined
    checkOption(
      isNode,
      'portless',
      'true for a command and with interpreter: instances cannot share a port there',
      portless,
    )
    return null
  }
  for (const [name, value] of Object.entries(options))
    checkOption(
      value === undefined || !needsPort(name as keyof ServeOptions),
      name,
      'left out for an app without a port',
      value,
    )
  const isNode = !isCommand && interpreter === undefined
  for (const name of ['waitReady', 'stopSignal'] as const) {
    const needsChannel = name === 'waitReady' ? waitReady === true : options.stopSignal === 'message'
    checkOption(
      isNode || !needsChannel,
      name,
      'left out for what is not run by Node: it gets no messages',
      options[name],
    )
  }
  if (isCommand) {
    checkOption(interpreter === undefined, 'interpreter', 'left out beside a command', interpreter)
    checkOption(execArgv === undefined, 'execArgv', 'left out beside a command', execArgv)
    return { words: [...file, ...args], hasChannel: false }
  }
  const nodeOptions = execArgv ?? (isNode ? process.execArgv : [])
  return { words: [interpreter ?? process.execPath, ...nodeOptions, path, ...args], hasChannel: isNode }
}

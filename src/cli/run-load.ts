// `threadwise load`: runs the load, shows progress, prints the result, writes the file.

import { readFileSync } from 'node:fs'
import { checkOption } from '../errors.js'
import { load } from '../load/load.js'
import type { LoadResult } from '../load/load-result.js'
import type { LoadOptions, LoadProgress } from '../load/options.js'
import { formatRate } from '../report/format-number.js'
import { formatLoad } from '../report/terminal.js'
import { abortOnSignals } from './abort-on-signals.js'
import { writeResult } from './write-result.js'

export interface LoadFlags extends Omit<LoadOptions, 'headers' | 'body' | 'signal' | 'onProgress'> {
  header?: Record<string, string>
  body?: string
  json?: string
}

/** The exit code. */
export async function runLoad(url: string, flags: LoadFlags): Promise<number> {
  const { header, body, json, ...options } = flags
  const interrupted = abortOnSignals()
  const isLive = process.stderr.isTTY
  const result = await load(url, {
    ...options,
    ...(header && { headers: header }),
    ...(body !== undefined && { body: readBody(body) }),
    signal: interrupted.signal,
    ...(isLive && { onProgress: showProgress }),
  }).finally(() => {
    if (isLive) process.stderr.write('\r\x1b[K')
    interrupted.release()
  })
  writeResult(result, json, formatLoad)
  return exitCode(result)
}

/** "@FILE" is the content of a file. */
function readBody(text: string): string | Buffer {
  if (!text.startsWith('@')) return text
  try {
    return readFileSync(text.slice(1))
  } catch (error) {
    checkOption(false, 'body', `text, or @ and a file that can be read (${(error as Error).message})`, text)
    throw error
  }
}

function showProgress({ elapsed, total, isWarmup, answers, failures }: LoadProgress): void {
  if (elapsed < 1) return
  const phase = isWarmup ? 'warm-up' : elapsed > total ? 'waiting for the last answers' : 'measuring'
  const failed = failures === 0 ? '' : `, ${failures} failed`
  const rate = formatRate(answers / elapsed)
  const text = `${phase}, ${elapsed.toFixed(0)} of ${total.toFixed(0)} s: ${rate} answered${failed}`
  process.stderr.write(`\r\x1b[K${text.slice(0, (process.stderr.columns ?? 80) - 1)}`)
}

function exitCode({ complete, statuses, limited }: LoadResult): number {
  if (!complete) return 130
  const succeeded = Object.keys(statuses).some((status) => Number(status) < 400)
  if (!succeeded) return 1
  return limited ? 3 : 0
}

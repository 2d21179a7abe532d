// `threadwise serve --systemd`: prints a unit that starts what the other words of the command say.

import { resolve } from 'node:path'
import type { AppPlan } from '../apps/app-plan.js'
import { findConfig } from '../apps/read-config.js'
import { systemdUnit } from '../apps/systemd-unit.js'
import type { ServeFlags } from './run-serve.js'

interface ServeWords {
  file: string | undefined
  args: string[]
  flags: ServeFlags
}

/** The exit code. */
export function printUnit(plans: readonly AppPlan[], { file, args, flags }: ServeWords): number {
  const { config, ...others } = { ...flags, systemd: undefined }
  const given = Object.entries(others).filter(([, value]) => value !== undefined)
  const words = given.map(([name, value]) => {
    const option = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
    return value === true ? option : `${option}=${String(value)}`
  })
  if (file === undefined) words.push(`--config=${findConfig(config)}`)
  else words.push(resolve(file), ...(args.length > 0 ? ['--', ...args] : []))
  // As it was called: a link in node_modules/.bin stays right when the package is renewed.
  const program = [process.execPath, ...process.execArgv, resolve(process.argv[1]!)]
  process.stdout.write(systemdUnit(plans, { program, words, folder: process.cwd() }))
  return 0
}

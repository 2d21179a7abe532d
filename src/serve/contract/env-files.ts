// Variables that this process has from `node --env-file`. An instance reads the file again, but leaves alone what it inherits: it would keep the
// values of the first start for ever.

import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'

const OPTION = /^--env-file(?:-if-exists)?(?:=(.*))?$/s

/** Each with the value undefined: an instance does not inherit them. */
export function variablesOfEnvFiles(
  execArgv = process.execArgv,
  env = process.env,
): Record<string, undefined> {
  const names = execArgv.flatMap((option, index) => {
    const [found, path = execArgv[index + 1] ?? ''] = OPTION.exec(option) ?? []
    return found === undefined ? [] : namesIn(path, env)
  })
  return Object.fromEntries(names.map((name) => [name, undefined]))
}

/** Only those that have its value: others were there before. */
function namesIn(path: string, env: NodeJS.ProcessEnv): string[] {
  try {
    const pairs = Object.entries(parseEnv(readFileSync(path, 'utf8')))
    return pairs.filter(([name, value]) => env[name] === value).map(([name]) => name)
  } catch {
    return [] // such as a file that need not exist
  }
}

// What the module of a task does so that the errors of the user's own classes stay what they are: it registers the classes, and where their
// file does nothing but declare, it has them from there, so that there is one class where a task runs in the caller's thread.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { UserFiles } from '../source/find-script.js'
import type { ParsedScript } from '../source/script-functions.js'
import { isHarmless } from '../source/harmless-file.js'
import { isToRegister, type Errors } from './judge-errors.js'
import type { Registration } from './thrown-classes.js'

export interface Registrations {
  readonly registers: readonly Registration[]
  readonly isWhole: (script: ParsedScript) => boolean
}

/** @param script that of the function */
export function registrationsFor({ classes }: Errors, script: ParsedScript, files: UserFiles): Registrations {
  const own = classes.flatMap((each) => (isToRegister(each) ? [each.registration!] : []))
  const declaring = new Set(classes.flatMap(({ declared }) => (declared ? [declared.script] : [])))
  return {
    registers: own,
    isWhole: (other) =>
      other !== script && declaring.has(other) && isAsItIs(other, files) && isHarmless(other, files.find),
  }
}

/** An ES module that Node.js loads without a compiler. */
function isAsItIs(script: ParsedScript, files: UserFiles): boolean {
  const path = files.pathOf(script)
  return script.isModule && /\.m?js$/.test(path) && textAt(path) === script.text
}

function textAt(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

/** Whether modules of a folder find `threadwise/task`. */
export function canRegister(folder: string): boolean {
  try {
    createRequire(join(folder, 'task.mjs')).resolve('threadwise/task')
    return true
  } catch {
    return false
  }
}

// What the module of a task has to do so that it finds what the app has set up elsewhere, and the conditions that name those lines.

import type { Node } from 'acorn'
import type { DoctorCondition } from '../../results/doctor-result.js'
import type { AppScript } from '../source/app-script.js'
import type { UserFiles } from '../source/find-script.js'
import { judgeStatement } from '../effects/judge-source.js'
import type { ParsedScript } from '../source/script-functions.js'
import type { Difference } from '../state/compare-states.js'
import { findSetUps } from './find-set-up.js'
import { named } from './judge-state.js'
import type { Places } from '../source/places.js'

/** A statement of the top level of a file that the module of the task may have, too. */
export interface SetUp {
  readonly script: ParsedScript
  readonly node: Node
}

interface Around {
  readonly scripts: readonly AppScript[]
  readonly files: UserFiles
  readonly places: Places
  /** Of the function itself. */
  readonly isOwn: (node: Node) => boolean
}

export interface FoundSetUps {
  /** Those that are the same wherever they are done. */
  readonly setUps: readonly SetUp[]
  readonly conditions: DoctorCondition[]
}

export function setUpsFor(differences: readonly Difference[], around: Around): FoundSetUps {
  const { scripts, files, places, isOwn } = around
  const setUps = new Map<Node, SetUp>()
  const conditions = new Map<string, DoctorCondition>()
  for (const difference of differences) {
    const found = findSetUps(difference, scripts, isOwn)
    const kind = difference.owner === null ? 'state' : 'package-setup'
    for (const { script, statement } of found)
      if (statement && judgeStatement(script, statement, files.find).length === 0)
        setUps.set(statement, { script, node: statement })
    for (const { script, node } of found.slice(0, 3)) {
      const place = places.of(script, node)
      const text = `${named([difference])} stays as it is set here`
      const key = `${kind} ${place.file}:${place.line}`
      if (!conditions.has(key)) conditions.set(key, { kind, text, ...place })
    }
  }
  return { setUps: [...setUps.values()], conditions: [...conditions.values()] }
}

// Errors that a caller may know by their class: another thread gives it one of the same name and fields, and of the same class where the task
// module and the app register it.

import type { DoctorCondition } from '../../results/doctor-result.js'
import type { ThrownValue } from '../agent/messages.js'
import type { SourcePlace, Places } from '../source/places.js'
import type { FindScript } from '../source/imports.js'
import type { Reached } from '../effects/judge-source.js'
import { topVariables } from '../source/free-names.js'
import { nodesOf } from '../source/script-functions.js'
import { part, word } from '../source/ast.js'
import type { ReachedError } from '../state/state-graph.js'
import {
  codeOf,
  describeClass,
  isClass,
  classKey,
  thrownClasses,
  type ThrownClass,
} from './thrown-classes.js'

const MAX_NAMES = 4

export interface Errors {
  readonly classes: readonly ThrownClass[]
  /** Of packages, that were thrown: their places are not the user's. */
  readonly values: readonly ThrownValue[]
}

interface Thrown {
  /** By the source, and all that it calls. */
  readonly reached: readonly Reached[]
  /** By real calls. */
  readonly values: readonly ThrownValue[]
}

/** By its source, and by real calls: of these the source may not show where they come from. */
export function errorsOf({ reached, values }: Thrown, places: Places, findScript: FindScript): Errors {
  const classes = thrownClasses(reached, findScript)
  const known = new Set(classes.map(classKey))
  const others: ThrownValue[] = []
  for (const value of values) {
    const declared = declaredBy(value, places)
    const isKnown = declared
      ? known.has(declared.node)
      : classes.some(({ name, declared }) => !declared && name === value.name)
    if (isKnown) continue
    if (declared) classes.push(classOf(value, declared, findScript))
    else others.push(value)
  }
  return { classes, values: others }
}

/** Null: it is of a package. */
function declaredBy({ url, text }: ThrownValue, places: Places): Reached | null {
  const script = url === '' ? null : places.scriptAt(url)?.parsed
  const node =
    script &&
    nodesOf(script).find((each) => isClass(each) && script.text.slice(each.start, each.end) === text)
  return node ? { script, node } : null
}

function classOf(
  { hasPrivate }: ThrownValue,
  { script, node }: Reached,
  findScript: FindScript,
): ThrownClass {
  const variable = topVariables(script).find(
    ({ defs: [definition] }) => definition && codeOf(definition.node as never) === node,
  )
  const registration = variable ? { script, text: variable.name } : null
  const written = variable?.name ?? word(part(node, 'id'), 'name') ?? 'a class without a name'
  return { ...describeClass(written, { script, node }, findScript), script, node, registration, hasPrivate }
}

/** @param registers whether the task module registers those that it can */
export function errorConditions(
  { classes, values }: Errors,
  registers: boolean,
  { places, place }: { places: Places; place: SourcePlace },
): DoctorCondition[] {
  const own = classes.flatMap((each): DoctorCondition[] => {
    if (each.isRegistered) return []
    const at = each.declared
      ? places.of(each.declared.script, each.declared.node)
      : places.of(each.script, each.node)
    return [{ kind: 'error-class', text: textFor(each, registers), ...at }]
  })
  const others = values.map(({ name, text }): DoctorCondition => ({
    kind: 'error-class',
    text: byFields(isIn(text, name) ? name : 'a class of a package'),
    ...place,
  }))
  return [...own, ...others]
}

export const isToRegister = ({ registration, hasPrivate, isRegistered }: ThrownClass) =>
  registration !== null && !hasPrivate && !isRegistered

function textFor(thrown: ThrownClass, registers: boolean): string {
  const { name, hasPrivate, registration } = thrown
  if (hasPrivate)
    return `its callers know the error of ${name} by its name or its fields, or registerClass gets toData and fromData for it on both sides: it has private fields`
  if (registers && isToRegister(thrown))
    return `the app calls registerClass(${registration!.text}) beside the class, as the task module does: then its callers get an error of ${name}`
  return `${byFields(name)}, or its class is registered on both sides with registerClass`
}

/** Otherwise its name was made while the app ran, and may be data. */
const isIn = (text: string, name: string) => text.split(/[^\w$]+/).includes(name)

const byFields = (name: string) => `its callers know the error of ${name} by its name or its fields`

/** What packages may throw, as far as their classes can be reached. */
export function reachedErrors(errors: readonly ReachedError[], place: SourcePlace): DoctorCondition[] {
  const byPackage = new Map<string, string[]>()
  for (const { name, owner } of errors)
    if (owner !== null) byPackage.set(owner, [...new Set([...(byPackage.get(owner) ?? []), name])])
  return [...byPackage].map(([owner, names]) => ({
    kind: 'error-class',
    text: `its callers know errors of the package ${owner} (${names.slice(0, MAX_NAMES).join(', ')}) by their names, and not by instanceof`,
    ...place,
  }))
}

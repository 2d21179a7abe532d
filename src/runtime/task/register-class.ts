// registerClass: classes whose instances stay instances on the other side of a boundary.
//
// The registry is shared: the module that the user imports in a worker is another copy than the one that reads messages.

import {
  checkFunction,
  checkNames,
  checkObject,
  checkOption,
  optionNames,
  ownOptions,
} from '../../errors/check-options.js'
import { sharedState } from '../../primitives/shared-state.js'

/** How instances of a class travel, for those that their own enumerable fields do not describe. */
export interface ClassOptions<T, Data> {
  /** The name under which both sides know the class. Default: its `name`; give one where a bundler changes names. */
  readonly name?: string | undefined
  /** What travels in place of an instance: anything that can be sent, other registered instances too. */
  readonly toData?: ((instance: T) => Data) | undefined
  /** Makes an instance of what `toData` gave. */
  readonly fromData?: ((data: Data) => T) | undefined
}

/** Any class: abstract ones, and those with a private constructor, too. */
export interface ClassLike<T> {
  readonly name: string
  readonly prototype: T
}

export interface RegisteredClass {
  readonly name: string
  readonly prototype: object
  readonly toData: ((instance: object) => unknown) | undefined
  readonly fromData: ((data: unknown) => unknown) | undefined
}

interface ClassRegistry {
  /** 0 as long as nobody uses it: all that a call looks at then. */
  count: number
  readonly byName: Map<string, RegisteredClass>
  readonly byPrototype: Map<unknown, RegisteredClass>
}

export const classes = sharedState<ClassRegistry>('classes', 1, () => ({
  count: 0,
  byName: new Map(),
  byPrototype: new Map(),
}))

const CLASS_OPTIONS = optionNames('name toData fromData')

/** What these hold is not in fields, so that their subclasses cannot be made of fields. */
const keepers = (): readonly { readonly name: string; readonly prototype: object }[] => [
  Array,
  Map,
  Set,
  WeakMap,
  WeakSet,
  Date,
  RegExp,
  Promise,
  ArrayBuffer,
  DataView,
  { name: 'a typed array', prototype: Object.getPrototypeOf(Uint8Array.prototype) as object },
  Number,
  String,
  Boolean,
]

/**
 * Keeps instances of a class what they are when they travel: as arguments, in results, and in what a task throws; also
 * within plain objects, arrays, Map, Set and fields of other registered classes. To be called in a module that both sides
 * import, the caller's program and the task module, usually the one that defines the class. Where nothing is copied
 * (`inline`, `concurrent`) it has no effect.
 *
 * Without `toData` and `fromData` the own enumerable fields travel, and become those of an object with the prototype of the
 * class; the constructor is not called. An instance travels as the class that it is an instance of directly: a subclass
 * needs a call of its own.
 *
 * @param Class the class. Registering it again replaces its options.
 * @throws TW_ERR_INVALID_OPTION when another class has the name, when only one of `toData` and `fromData` is given, and
 * when both are missing for a class that extends Map, Array or another type whose content is not in fields.
 * @example
 * export class Money {
 *   #cents
 *   constructor(cents) { this.#cents = cents }
 *   static { registerClass(Money, { toData: (money) => money.#cents, fromData: (cents) => new Money(cents) }) }
 * }
 */
export function registerClass<T extends object, Data = unknown>(
  Class: ClassLike<T>,
  options: ClassOptions<T, Data> = {},
): void {
  const prototype: unknown = typeof Class === 'function' ? (Class as ClassLike<T>).prototype : undefined
  const isClass = typeof prototype === 'object' && prototype !== null && prototype !== Object.prototype
  checkOption(isClass, 'the first argument of registerClass()', 'a class of yours', Class)
  checkObject('the second argument of registerClass()', options)
  checkNames(options, CLASS_OPTIONS)
  const { name = Class.name, toData, fromData } = ownOptions(options)
  const isName = typeof name === 'string' && name !== ''
  checkOption(isName, 'name', 'a non-empty string for a class without a name of its own', name)
  checkFunctions(name, prototype as object, options)
  checkUnique(name, prototype as object)
  const entry = { name, prototype, toData, fromData } as unknown as RegisteredClass
  classes.byName.set(name, entry)
  classes.byPrototype.set(prototype, entry)
  classes.count = classes.byName.size
}

function checkFunctions<T, Data>(
  name: string,
  prototype: object,
  { toData, fromData }: ClassOptions<T, Data>,
): void {
  for (const [option, value] of Object.entries({ toData, fromData })) checkFunction(option, value)
  const areBoth = (toData === undefined) === (fromData === undefined)
  checkOption(areBoth, 'toData and fromData', `given together for class ${name}`, 'only one of them')
  const keeper = keepers().find((each) => each.prototype === prototype || isBelow(prototype, each.prototype))
  const expected = `functions for class ${name}, since what ${keeper?.name} holds is not in fields`
  checkOption(!keeper || toData !== undefined, 'toData and fromData', expected, toData)
}

function checkUnique(name: string, prototype: object): void {
  const other = classes.byName.get(name)
  const isFree = other === undefined || other.prototype === prototype
  checkOption(
    isFree,
    'name',
    'one that no other registered class has; pass { name } for one of the two',
    name,
  )
  const own = classes.byPrototype.get(prototype)
  const isSame = own === undefined || own.name === name
  checkOption(isSame, 'name', `"${own?.name}", as this class was registered before`, name)
}

function isBelow(prototype: object, ancestor: object): boolean {
  return Object.prototype.isPrototypeOf.call(ancestor, prototype)
}

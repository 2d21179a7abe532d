// What the types of registerClass and defineContext promise.

import type { AsyncLocalStorage } from 'node:async_hooks'
import { defineContext, registerClass, type ClassOptions, type Context } from 'threadwise'
import * as task from 'threadwise/task'
import { same } from './same.js'

class Money {
  readonly #cents: number
  constructor(cents: number) {
    this.#cents = cents
  }
  get cents(): number {
    return this.#cents
  }
}
abstract class Shape {
  abstract area(): number
}
class Single {
  static readonly only = new Single()
  private constructor() {}
}
class Failure extends Error {}

registerClass(Money, { toData: (money) => money.cents, fromData: (cents) => new Money(cents) })
registerClass(Money, {
  name: 'money',
  toData: (money) => [money.cents],
  fromData: ([cents]) => new Money(cents ?? 0),
})
for (const Class of [Shape, Single, Failure]) registerClass(Class)
task.registerClass(Failure, { name: undefined })
const options: ClassOptions<Money, number> = {
  toData: ({ cents }) => cents,
  fromData: (cents) => new Money(cents),
}
registerClass(Money, options)
same<ReturnType<typeof registerClass>, void>(true)

// @ts-expect-error -- no such option
registerClass(Money, { encode: () => 1 })
const centsOf = (money: Money): number => money.cents
const ofText = (text: string): Money => new Money(text.length)
// @ts-expect-error -- fromData gets what toData gives
registerClass(Money, { toData: centsOf, fromData: ofText })
// @ts-expect-error -- fromData makes an instance
registerClass(Money, { toData: (money) => money.cents, fromData: (cents) => String(cents) })
// @ts-expect-error -- an instance is no class
registerClass(new Money(1))

interface Request {
  readonly id: string
}
const request = defineContext<Request>('request')
same<typeof request, Context<Request>>(true)
const storage: AsyncLocalStorage<Request> = request
same<ReturnType<typeof storage.getStore>, Request | undefined>(true)
const name: string = request.name
const given: number = request.run({ id: name }, () => 5)
void given
// @ts-expect-error -- not a Request
request.run('r-1', () => 5)
// @ts-expect-error -- it may be undefined
void request.getStore().id
const untyped = task.defineContext('untyped')
same<ReturnType<typeof untyped.getStore>, unknown>(true)
// @ts-expect-error -- a name is needed
defineContext()

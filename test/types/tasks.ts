// A task module as a user writes it.

export const add = (a: number, b: number): number => a + b
export function greet(who: { name: string }, greeting?: string): string {
  return `${greeting ?? 'Hello'}, ${who.name}`
}
export async function load(path: string): Promise<Uint8Array> {
  return new Uint8Array(path.length)
}
export function nothing(): void {}
export const sum = (...numbers: number[]): number => numbers.reduce((a, b) => a + b, 0)
export function maybe(id: number): Promise<string> | undefined {
  return id > 0 ? Promise.resolve('x') : undefined
}
export function* lines(path: string): Generator<string, number> {
  yield path
  return 1
}
export async function* rows(from: number): AsyncGenerator<{ id: number }> {
  yield { id: from }
}
export const later = async (): Promise<Set<bigint>> => new Set([1n])
export const promises = (): Promise<boolean>[] => [Promise.resolve(true)]

export const version = '1.0'
export interface Options {
  readonly deep: boolean
}
export default { not: 'a task' }

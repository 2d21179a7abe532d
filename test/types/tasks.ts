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

export const version = '1.0'
export interface Options {
  readonly deep: boolean
}
export default { not: 'a task' }

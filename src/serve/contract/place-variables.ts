// The variables by which an instance knows its place among the others, and is known.

/** Has the mark of a start: orphan-guard.ts. */
export const START_VARIABLE = 'THREADWISE_START'

export interface PlaceOptions {
  /** Holds the place; null: none does. */
  readonly instanceVariable: string | null
  /** A number of the app to which the place is added, such as its port; null: none. */
  readonly incrementVariable: string | null
  readonly env: Readonly<Record<string, string | undefined>>
  readonly startMark: string
}

/** Those of `env` too: what it has in the place of one of these wins, except the number that grows. */
export function variablesAt(
  place: number,
  { instanceVariable, incrementVariable, env, startMark }: PlaceOptions,
): Record<string, string | undefined> {
  const own = {
    [START_VARIABLE]: startMark,
    ...(instanceVariable !== null && { [instanceVariable]: String(place) }),
  }
  if (incrementVariable === null) return { ...own, ...env }
  const first = env[incrementVariable] ?? process.env[incrementVariable]
  return { ...own, ...env, [incrementVariable]: String(Number(first) + place) }
}

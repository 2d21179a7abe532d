// The variables by which an instance knows its place among the others, and is known.

/** Has the mark of a start, by which the process is found before its id is known: primary/orphan-guard.ts. */
export const START_VARIABLE = 'THREADWISE_START'

export interface PlaceOptions {
  /** Holds the place; null: none does. */
  readonly instanceVariable: string | null
  /** A number of the app to which the place is added, such as its port; null: none. */
  readonly incrementVariable: string | null
  readonly env: Readonly<Record<string, string | undefined>>
  /** No other start has it. */
  readonly startMark: string
}

/** Those of `env` too: what it has in the place of one of these wins, except the number that grows and the mark, which is of this start alone. */
export function variablesAt(
  place: number,
  { instanceVariable, incrementVariable, env, startMark }: PlaceOptions,
): Record<string, string | undefined> {
  const own = instanceVariable === null ? {} : { [instanceVariable]: String(place) }
  const mark = { [START_VARIABLE]: startMark }
  if (incrementVariable === null) return { ...own, ...env, ...mark }
  const first = env[incrementVariable] ?? process.env[incrementVariable]
  return { ...own, ...env, ...mark, [incrementVariable]: String(Number(first) + place) }
}

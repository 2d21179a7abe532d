// executor.map on top of executor.run: a bounded number of calls in flight, results in the order of the inputs.

/**
 * @param limit calls in flight at a time. It bounds memory, so that an endless async iterable does not pile up.
 */
export async function mapInputs(
  inputs: Iterable<unknown> | AsyncIterable<unknown>,
  limit: number,
  call: (input: unknown) => Promise<unknown>,
): Promise<unknown[]> {
  const results: unknown[] = []
  let failure: { reason: unknown } | undefined
  let open = 0
  let wake: (() => void) | undefined

  const settled = () => {
    open--
    wake?.()
  }
  function start(index: number, input: unknown): void {
    open++
    call(input).then(
      (value) => {
        results[index] = value
        settled()
      },
      (reason: unknown) => {
        failure ??= { reason }
        settled()
      },
    )
  }
  const nextSettled = () => new Promise<void>((resolve) => (wake = resolve))

  let index = 0
  // `for await` over a plain iterable would await each input: 100,000 needless turns.
  for await (const chunk of inChunks(inputs)) {
    for (const input of chunk) {
      while (open >= limit && !failure) await nextSettled()
      if (failure) throw failure.reason
      start(index++, input)
    }
  }
  while (open > 0 && !failure) await nextSettled()
  if (failure) throw failure.reason
  return results
}

async function* inChunks(
  inputs: Iterable<unknown> | AsyncIterable<unknown>,
): AsyncGenerator<Iterable<unknown>> {
  if (Symbol.iterator in inputs) yield inputs
  else for await (const input of inputs) yield [input]
}

// A reporter of node:test: one line of JSON for each case, with the names of its suites before its own.
export default async function* casesOf(events) {
  const path = []
  for await (const { type, data } of events) {
    if (type === 'test:start') path[data.nesting] = data.name
    if (type !== 'test:pass' && type !== 'test:fail') continue
    const { error, type: kind } = data.details
    if (kind === 'suite' && error?.failureType !== 'hookFailed') continue
    const state = data.skip !== undefined ? 'skipped' : type === 'test:pass' ? 'passed' : 'failed'
    const name = [...path.slice(0, data.nesting), data.name].join(' > ')
    yield `${JSON.stringify({ name, state, reason: error && reasonOf(error) })}\n`
  }
}

/** `cause`: what the test threw. */
function reasonOf({ cause, message }) {
  return String(cause?.stack ?? cause ?? message)
}

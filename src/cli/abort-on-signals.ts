// Ctrl-C and SIGTERM: the first ends the run and prints what is known; the second ends the program at once.

export function abortOnSignals(): { signal: AbortSignal; release: () => void } {
  const controller = new AbortController()
  const onSignal = () => {
    if (controller.signal.aborted) process.exit(130)
    process.stderr.write('\nStopping; what is known so far follows. Again to quit at once.\n')
    controller.abort(new Error('interrupted'))
  }
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
  return {
    signal: controller.signal,
    release() {
      process.off('SIGINT', onSignal)
      process.off('SIGTERM', onSignal)
    },
  }
}

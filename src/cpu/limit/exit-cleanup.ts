// Runs clean-ups when the process exits: at its natural end, process.exit() and an uncaught exception.
//
// A signal that nobody handles ends the process without this; the command line turns signals into process.exit().

const cleanups = new Set<() => void>()
let isListening = false

/** Registers a synchronous clean-up; call the result once it is no longer needed. */
export function cleanUpAtExit(cleanup: () => void): () => void {
  if (!isListening) process.on('exit', runAll)
  isListening = true
  cleanups.add(cleanup)
  return () => cleanups.delete(cleanup)
}

function runAll(): void {
  for (const cleanup of [...cleanups]) {
    try {
      cleanup()
    } catch {
      // The others must still run, and an exiting process has nobody to tell.
    }
  }
}

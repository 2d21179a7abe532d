// Notices what a call prints: in a worker it comes out elsewhere, or not at all.

/** Tells whether anything was printed since it was asked last. */
export function watchPrinting(): () => boolean {
  let printed = false
  for (const stream of [process.stdout, process.stderr]) {
    const write = stream.write.bind(stream) as (...args: unknown[]) => boolean
    stream.write = (...args: unknown[]) => {
      printed = true
      return write(...args)
    }
  }
  return () => {
    const was = printed
    printed = false
    return was
  }
}

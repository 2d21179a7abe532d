// The code that runs in the threads, as text in parts. scripts/worker-bundles.mjs writes it into what is built.

export const threadCode: string = ''

// A folder for what an experiment needs while it runs: it goes with it, however it ends.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export async function inTemporaryFolder<T>(name: string, use: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), `threadwise-${name}-`))
  try {
    return await use(folder)
  } finally {
    // A store that ends at the same time may still put files there.
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

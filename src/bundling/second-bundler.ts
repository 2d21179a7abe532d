// One bundler bundles again what another has made: Nitro the server that Vite built, as in TanStack Start. The first one's task modules are files that
// nothing imports, so the second leaves them out, unless our plugin is in it too.
//
//   Vite    new URL("./assets/tasks-HASH.js#src/tasks.ts", import.meta.url)
//   Nitro   asks who gives that file (mostly another plugin, from memory), and builds it as a module of its own again

import { placesIn, type FoundModule } from './find-task-modules.js'
import { existsSync } from 'node:fs'
import { sharedState } from '../primitives/shared-state.js'

/** The configuration of the second may be read by another copy of this package. */
const seen = sharedState('bundled', 1, () => ({ first: new Set<string>(), again: new Set<string>() }))

export interface Resolving {
  resolve(id: string, importer: string): Promise<{ id: string } | null>
}

/** Task modules that are named by what another bundler wrote, and are no files. */
export async function findBuilt(code: string, path: string, context: Resolving): Promise<FoundModule[]> {
  const found: FoundModule[] = []
  for (const { start, end, kind, name, files, fragment } of placesIn(code, path)) {
    if (fragment === undefined) continue
    seen.again.add(fragment)
    if (files.some((file) => existsSync(file))) continue
    const module = await context.resolve(name, path)
    if (module) found.push({ start, end, kind, fragment, file: module.id, isForPage: false })
  }
  return found
}

/** Tells at the end which of these nobody has bundled again. */
export function expectAgain(fragment: string): void {
  if (seen.first.size === 0) process.once('exit', warnOfDropped)
  seen.first.add(fragment)
}

function warnOfDropped(): void {
  const dropped = [...seen.first]
    .filter((fragment) => !seen.again.has(fragment))
    .map((fragment) => fragment.slice(1))
  if (dropped.length > 0)
    console.warn(
      `threadwise: Nitro has left out the task module${dropped.length > 1 ? 's' : ''} ${dropped.join(', ')}, as nothing imports ${dropped.length > 1 ? 'them' : 'it'}: ` +
        'add threadwise.rollup() of threadwise/unplugin to rollupConfig.plugins in nitro.config. See docs/frameworks.md.',
    )
}

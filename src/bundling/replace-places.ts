// Replaces places in code, and says by a source map where the rest has come from.

import MagicString from 'magic-string'

interface Place {
  readonly start: number
  readonly end: number
  /** What stands behind the replacement. */
  readonly after?: string | undefined
}

export interface Replaced {
  readonly code: string
  readonly map: ReturnType<MagicString['generateMap']>
}

/** `path`: of the code. */
export function replaceEach<P extends Place>(
  code: string,
  places: readonly P[],
  { path, replacement }: { path: string; replacement: (place: P) => string },
): Replaced {
  const text = new MagicString(code)
  for (const place of places) text.update(place.start, place.end, replacement(place) + (place.after ?? ''))
  return {
    code: text.toString(),
    map: text.generateMap({ source: path, includeContent: true, hires: 'boundary' }),
  }
}

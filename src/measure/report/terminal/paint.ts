// Gives terminal text its colours by meaning, or none at all.

import { styleText } from 'node:util'
import type { Verdict } from '../../results/result.js'

export type Brush = (text: string) => string

export interface Paint {
  strong: Brush
  faint: Brush
  warning: Brush
  failure: Brush
  verdict: Record<Verdict, Brush>
}

/** What the section writers are given: colours, and the columns that a line may take. */
export interface Canvas {
  paint: Paint
  width: number
}

type Format = Parameters<typeof styleText>[0]

/** Node 22.13 and later look at the stream themselves; the caller has decided already. Older versions ignore the option. */
const style = styleText as (format: Format, text: string, options: { validateStream: boolean }) => string

export function createPaint(color: boolean): Paint {
  const brush = (format: Format): Brush =>
    color ? (text) => (text === '' ? '' : style(format, text, { validateStream: false })) : (text) => text
  return {
    strong: brush('bold'),
    faint: brush('dim'),
    warning: brush('yellow'),
    failure: brush('red'),
    verdict: {
      faster: brush('green'),
      slower: brush('yellow'),
      same: brush([]),
      'cannot-tell': brush('dim'),
    },
  }
}

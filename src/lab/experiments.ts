// All experiments, in the order in which they are listed.

import type { Experiment } from './experiment.js'
import { files } from './files.js'
import { libuv } from './libuv.js'
import { matrix } from './matrix.js'
import { memory } from './memory.js'
import { render } from './render.js'

export const experiments: readonly Experiment[] = [
  files,
  libuv,
  render,
  memory,
  matrix,
] as unknown as Experiment[]

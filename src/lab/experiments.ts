// All experiments, in the order in which they are listed.

import type { Experiment } from './experiment.js'
import { cluster } from './cluster.js'
import { files } from './files.js'
import { image } from './image.js'
import { libuv } from './libuv.js'
import { matrix } from './matrix.js'
import { memory } from './memory.js'
import { posts } from './posts.js'
import { render } from './render.js'
import { search } from './search.js'
import { uploads } from './uploads.js'

export const experiments: readonly Experiment[] = [
  files,
  libuv,
  render,
  memory,
  matrix,
  search,
  image,
  posts,
  uploads,
  cluster,
] as unknown as Experiment[]

// All experiments, in the order in which they are listed.

import type { Experiment } from './runner/experiment.js'
import { cluster } from './experiments/cluster.js'
import { files } from './experiments/files.js'
import { image } from './experiments/image.js'
import { libuv } from './experiments/libuv.js'
import { matrix } from './experiments/matrix.js'
import { memory } from './experiments/memory.js'
import { posts } from './experiments/posts.js'
import { render } from './experiments/render.js'
import { search } from './experiments/search.js'
import { uploads } from './uploads/uploads.js'

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

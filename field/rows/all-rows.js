// All rows of the matrix, in groups: each is one table of a page.
import { bundlers } from './bundlers.js'
import { frameworks } from './frameworks.js'

export const groups = [
  { name: 'bundlers', title: 'Bundlers', page: 'docs/bundlers.md', rows: bundlers },
  { name: 'frameworks', title: 'Frameworks', page: 'docs/frameworks.md', rows: frameworks },
]

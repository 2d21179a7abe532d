// All rows of the matrix, in groups: each is one table of a page.
import { bundlers } from './bundlers.js'

export const groups = [{ name: 'bundlers', title: 'Bundlers', page: 'docs/bundlers.md', rows: bundlers }]

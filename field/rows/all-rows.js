// All rows of the matrix, in groups: each is one table of a page.
import { bundlers } from './bundlers.js'
import { frameworks } from './frameworks.js'
import { pageRows } from './pages.js'
import { recipes } from './recipes.js'
import { testRunners } from './test-runners.js'
import { typeScript } from './typescript.js'

export const groups = [
  { name: 'bundlers', title: 'Bundlers', page: 'docs/bundlers.md', rows: bundlers },
  { name: 'frameworks', title: 'Frameworks', page: 'docs/frameworks.md', rows: frameworks },
  { name: 'pages', title: 'Pages', page: 'docs/web.md', rows: pageRows },
  { name: 'recipes', title: 'Recipes', page: 'docs/recipes/README.md', rows: recipes },
  { name: 'runners', title: 'Test runners', page: 'docs/testing.md', rows: testRunners },
  { name: 'typescript', title: 'TypeScript', page: 'docs/typescript.md', rows: typeScript },
]

// Files of the contract suite that are about the arithmetic of pools: another version of Node or another platform cannot change that.
const names = [
  ...['counts', 'crowded-pools', 'distribution', 'fork', 'fresh-workers', 'full-queue'],
  ...['large-pools', 'limits', 'parallel', 'sort'],
]

export const ARITHMETIC = names.map((name) => `contract/${name}.test.js`)

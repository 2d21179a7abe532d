// Values that are no errors, and that may be thrown all the same.
const cyclic = { name: 'cyclic' }
cyclic.self = cyclic

export const plainValues = [
  undefined,
  null,
  0,
  -0,
  NaN,
  '',
  'text',
  1n,
  true,
  [1, { a: [2] }],
  new Date(3),
  new Map([[1, 2]]),
  cyclic,
]

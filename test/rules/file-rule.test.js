// How files of src are cut and named.
import assert from 'node:assert/strict'
import { posix } from 'node:path'
import { describe, test } from 'node:test'
import { sourceFiles } from './source-files.js'

const MAX_FOLDERS = 4
const MAX_FILES = 20
/** Lists of like things, one a file: they may grow. */
const LISTS = ['measure/findings', 'lab/experiments', 'cpu/limit']
const NO_IDEA = /^(utils?|helpers?|common|misc|shared|lib|tools?)$/

/** One sentence for each violation. */
function fileViolations(files) {
  return [...roomViolations(Object.keys(files)), ...Object.entries(files).flatMap(ofFile)]
}

function roomViolations(paths) {
  return [...groupByRoom(paths)]
    .filter(([room, list]) => list.length > MAX_FILES && !LISTS.includes(room))
    .map(([room, list]) => `${room} has ${list.length} files; ${MAX_FILES} are enough for one room`)
}

function groupByRoom(paths) {
  const rooms = new Map()
  for (const path of paths) rooms.set(posix.dirname(path), [...(rooms.get(posix.dirname(path)) ?? []), path])
  return rooms
}

function ofFile([path, text]) {
  const found = []
  const names = path.replace(/\.ts$/, '').split('/')
  if (names.some((name) => NO_IDEA.test(name))) found.push(`${path} has a name that says nothing`)
  if (names.some((name) => !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name))) found.push(`${path} is not in kebab-case`)
  if (names.length > MAX_FOLDERS + 1) found.push(`${path} is too deep: ${MAX_FOLDERS} folders are enough`)
  if (!/^\/\/ \S/.test(text.replace(/^#!.*\n/, ''))) found.push(`${path} does not start with what it is`)
  return found
}

test('every file of src is one idea: named for it, and starting with what it is', () => {
  assert.deepEqual(fileViolations(sourceFiles()), [])
})

describe('the check finds', () => {
  const line = 'export const a = 1\n'
  const bad = {
    'utils.ts': ['pool/utils.ts', `// Utils.\n${line}`],
    'helpers.ts': ['helpers.ts', `// Helpers.\n${line}`],
    'a folder called common': ['common/thing.ts', `// A thing.\n${line}`],
    'misc.ts': ['cli/misc.ts', `// Misc.\n${line}`],
    'a camelCase name': ['pool/ringQueue.ts', `// A queue.\n${line}`],
    'a fifth folder': ['runtime/pool/queues/rings/small/ring.ts', `// A queue.\n${line}`],
    'a file without a first line on what it is': ['pool/bare.ts', line],
    'a first line that is empty': ['pool/bare.ts', `//\n${line}`],
  }
  for (const [title, [path, text]] of Object.entries(bad)) {
    test(title, () => assert.equal(fileViolations({ [path]: text }).length, 1))
  }

  test('nothing in a file as long as its idea', () => {
    const text = `// Just right.\n\n${line.repeat(500)}`
    assert.deepEqual(fileViolations({ 'measure/findings/fine.ts': text }), [])
  })

  test('nothing in a program that starts with a line for the shell', () => {
    assert.deepEqual(
      fileViolations({ 'cli/main.ts': `#!/usr/bin/env node\n// The command line.\n${line}` }),
      [],
    )
  })
})

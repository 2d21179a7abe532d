// Becomes dist/runtime/threads/thread-entry.cjs: compiles the parts of a thread's code, which main has put into shared memory, and runs them.
// Tasks may replace what is global, and must not find the code, which all workers share.
'use strict'
const { compileFunction } = require('node:vm')
const { workerData } = require('node:worker_threads')
const { text, places, atOnce } = workerData.code
delete workerData.code
const { apply } = Reflect
const bytes = Buffer.from(text)
const { latin1Slice } = bytes
const names = ['require', '$import', '$give', '$from', '$later']
const filename = __dirname + '/thread-code.js'
const given = { __proto__: null }
const hasRun = []

function run(part) {
  const [from, to, lineOffset] = places[part]
  const options = { __proto__: null, filename, lineOffset }
  compileFunction(apply(latin1Slice, bytes, [from, to]), names, options)(
    require,
    (url) => import(url),
    give,
    (name) => given[name],
    later,
  )
}

function give(exported) {
  for (const name in exported) given[name] = exported[name]
}

function later(part, name) {
  for (let i = 0; i <= part; i++) {
    if (hasRun[i]) continue
    hasRun[i] = true
    try {
      run(i)
    } catch (error) {
      hasRun[i] = false // as where the stack was full; a part gives what it has at its end
      throw error
    }
  }
  return given[name]
}

later(atOnce - 1)

// Takes from a Node on Linux what macOS has not: its name, /proc and /sys, and sockets with paths of more than 103 bytes.
//
// By a mount name space Node itself would lose what it reads in /proc, which on macOS it gets in another way: process.memoryUsage() throws then.
const fs = require('node:fs')
const { syncBuiltinESMExports } = require('node:module')
const net = require('node:net')
const os = require('node:os')

const HIDDEN = /^\/(proc|sys)(\/|$)/
const MAX_SOCKET_BYTES = 103

if (process.argv[1]?.includes('/unit/bundling/') || process.argv[1]?.includes('/cli/check.')) keepRollup()
Object.defineProperty(process, 'platform', {
  ...Object.getOwnPropertyDescriptor(process, 'platform'),
  value: 'darwin',
})
os.platform = () => 'darwin'
os.type = () => 'Darwin'
for (const name of [
  'readFile',
  'readdir',
  'readlink',
  'stat',
  'lstat',
  'open',
  'access',
  'realpath',
  'opendir',
  'writeFile',
  'mkdir',
  'watch',
]) {
  hide(fs, name, fail, callBack)
  hide(fs, `${name}Sync`, fail)
  hide(fs.promises, name, (path) => Promise.reject(missing(path)))
}
hide(fs, 'existsSync', () => false)
hide(fs, 'createReadStream', fail)
const { statSync, lstatSync } = fs
for (const [name, original] of Object.entries({ statSync, lstatSync }))
  fs[name] = (path, options) =>
    options?.throwIfNoEntry === false && isHidden(path) ? undefined : original(path, options)
shorten(net.Server.prototype, 'listen')
shorten(net.Socket.prototype, 'connect')
syncBuiltinESMExports()

/** Rollup takes a program of the platform that it sees: it is loaded before. */
function keepRollup() {
  require('rollup/dist/native.js')
}

function isHidden(path) {
  return HIDDEN.test(path instanceof URL ? path.pathname : String(path))
}

function hide(owner, name, instead, withCallback = instead) {
  const original = owner[name]
  if (typeof original !== 'function') return
  const hidden = function (path, ...rest) {
    if (!isHidden(path)) return original.call(this, path, ...rest)
    return typeof rest.at(-1) === 'function' && name !== 'watch'
      ? withCallback(path, rest.at(-1))
      : instead(path)
  }
  owner[name] = Object.assign(hidden, original) // such as realpath.native
}

function fail(path) {
  throw missing(path)
}

function callBack(path, callback) {
  process.nextTick(callback, missing(path))
}

function missing(path) {
  const text = `ENOENT: no such file or directory, open '${path}'`
  return Object.assign(new Error(text), { code: 'ENOENT', errno: -2, syscall: 'open', path })
}

function shorten(prototype, name) {
  const original = prototype[name]
  prototype[name] = function (...args) {
    const [first] = Array.isArray(args[0]) ? args[0] : args // connect() of node:net passes what it has read
    const path = typeof first === 'object' ? first?.path : first
    if (typeof path !== 'string' || !/\//.test(path) || Buffer.byteLength(path) <= MAX_SOCKET_BYTES) return original.apply(this, args) // prettier-ignore
    const text = `${name} EINVAL: invalid argument ${path}`
    process.nextTick(() =>
      this.emit('error', Object.assign(new Error(text), { code: 'EINVAL', address: path })),
    )
    return this
  }
}

// Where files about a module are looked for: in its package, and nowhere else.
import assert from 'node:assert/strict'
import { chownSync, mkdirSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { findProfile } from '../../../../build/runtime/profile/profile.js'
import { foldersOfPackage, isSomebodyElses } from '../../../../build/runtime/profile/package-folders.js'
import { testFolder } from '../../../helpers/files.js'

const PROFILE = '{ "version": 1, "modules": {} }'

/** A folder `app/dist/esm` with a package.json as each text says. */
function makeFolders(t, packages) {
  const path = testFolder(t)
  mkdirSync(path('app/dist/esm'), { recursive: true })
  for (const [folder, text] of Object.entries(packages)) writeFileSync(path(`${folder}package.json`), text)
  return path
}

const folders = (path, ...names) => names.map((name) => path(name))

test('they end at the root of the package', (t) => {
  const path = makeFolders(t, { '': '{ "name": "above" }', 'app/': '{ "name": "app" }' })
  assert.deepEqual(foldersOfPackage(path('app/dist')), folders(path, 'app/dist', 'app'))
})

test('a package.json that says only of which type modules are is no root, unless it is the last one', (t) => {
  const path = makeFolders(t, { 'app/': '{ "name": "app" }', 'app/dist/esm/': '{ "type": "module" }' })
  assert.deepEqual(foldersOfPackage(path('app/dist/esm')), folders(path, 'app/dist/esm', 'app/dist', 'app'))
  const other = makeFolders(t, { 'app/': '{ "type": "module" }' })
  assert.deepEqual(foldersOfPackage(other('app/dist')), folders(other, 'app/dist', 'app'))
})

test('a broken package.json is a root; without any there is but the folder itself', (t) => {
  const path = makeFolders(t, { 'app/': '{' })
  assert.deepEqual(foldersOfPackage(path('app/dist')), folders(path, 'app/dist', 'app'))
  const none = makeFolders(t, {})
  assert.deepEqual(foldersOfPackage(none('app/dist')), folders(none, 'app/dist'))
})

test('a profile beyond the package is not found', (t) => {
  const path = makeFolders(t, { 'app/': '{ "name": "app" }' })
  writeFileSync(path('threadwise.json'), PROFILE)
  const module = pathToFileURL(path('app/dist/tasks.js')).href
  assert.throws(() => findProfile(module), { code: 'TW_ERR_PROFILE_NOT_FOUND' })
  writeFileSync(path('app/threadwise.json'), PROFILE)
  assert.equal(findProfile(module).file, path('app/threadwise.json'))
})

test('nor is one that belongs to another user', { skip: process.getuid?.() !== 0 }, (t) => {
  const path = makeFolders(t, { 'app/': '{ "name": "app" }' })
  const file = path('app/threadwise.json')
  writeFileSync(file, PROFILE)
  chownSync(file, 54_321, 54_321)
  assert.equal(isSomebodyElses(file, path('app/dist')), true)
  const module = pathToFileURL(path('app/dist/tasks.js')).href
  assert.throws(() => findProfile(module), { code: 'TW_ERR_PROFILE_NOT_FOUND' })
  chownSync(path('app/dist'), 54_321, 54_321)
  assert.equal(findProfile(module).file, file)
})

import { test } from 'node:test'
import assert from 'node:assert/strict'
import {
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { inCheckout, openCheckout } from '../../../../build/measure/checkout/checkout.js'
import { temporaryFolder } from '../../../helpers/files.js'
import { repository, stateOf } from '../../../helpers/git-repository.js'

const plan = (folder, ref, more = {}) => ({ folder, ref, build: null, signal: undefined, note() {}, ...more })
const unavailable = (pattern) => (error) => {
  assert.equal(error.code, 'TW_ERR_VERSION_UNAVAILABLE')
  assert.match(error.message, pattern)
  return true
}

function twoStates(t, name = 'repository') {
  const repo = repository(join(temporaryFolder(t), name))
  repo.commit({ 'src/tasks.js': 'export const value = () => 1\n', 'package.json': '{"type":"module"}\n' })
  repo.git('branch', 'old')
  repo.commit({ 'src/tasks.js': 'export const value = () => 2\n' })
  return repo
}

const valueOf = async (folder, path = 'src/tasks.js') =>
  (await import(pathToFileURL(join(folder, path)))).value()

test('another state lies in a folder of its own, and goes with all that git notes of it', async (t) => {
  const repo = twoStates(t)
  const before = stateOf(repo)
  const checkout = await openCheckout(plan(join(repo.folder, 'src'), 'old'))
  assert.equal(await valueOf(checkout.folder), 1)
  assert.equal(checkout.commit, repo.git('rev-parse', 'old').trim())
  assert.equal(inCheckout(checkout, join(repo.folder, 'src/tasks.js')), join(checkout.folder, 'src/tasks.js'))
  assert.equal(inCheckout(checkout, '/etc/passwd'), null)
  checkout.remove()
  assert.equal(existsSync(checkout.folder), false)
  assert.equal(stateOf(repo), before)
  assert.equal(existsSync(join(repo.folder, '.git/worktrees')), false)
})

test('a dirty tree, its index, its stash and its hooks stay as they are', async (t) => {
  const repo = twoStates(t)
  repo.write({ 'src/tasks.js': 'export const value = () => 3\n' })
  repo.git('stash')
  repo.write({ 'src/tasks.js': 'export const value = () => 4\n', 'staged.js': '// staged\n', 'new.js': '// new\n' }) // prettier-ignore
  repo.git('add', 'staged.js')
  for (const hook of ['post-checkout', 'post-index-change', 'reference-transaction'])
    writeFileSync(join(repo.folder, '.git/hooks', hook), `#!/bin/sh\necho ${hook} >> "${repo.folder}/hooked"\n`, { mode: 0o755 }) // prettier-ignore
  rmSync(join(repo.folder, 'hooked'), { force: true })
  const before = stateOf(repo)
  rmSync(join(repo.folder, 'hooked'), { force: true })
  const checkout = await openCheckout(plan(repo.folder, 'HEAD'))
  assert.equal(await valueOf(checkout.folder), 2, 'what is committed')
  checkout.remove()
  assert.equal(existsSync(join(repo.folder, 'hooked')), false, 'no hook ran')
  assert.equal(stateOf(repo), before)
})

test('variables of git, as a hook gets them, name no other repository', async (t) => {
  const [repo, other] = [twoStates(t), twoStates(t)]
  const before = stateOf(other)
  process.env.GIT_DIR = join(other.folder, '.git')
  process.env.GIT_INDEX_FILE = join(other.folder, '.git/index')
  t.after(() => (delete process.env.GIT_DIR, delete process.env.GIT_INDEX_FILE))
  const checkout = await openCheckout(plan(repo.folder, 'old'))
  delete process.env.GIT_DIR
  delete process.env.GIT_INDEX_FILE
  assert.equal(realpathSync(repo.folder), checkout.root)
  checkout.remove()
  assert.equal(stateOf(other), before)
})

test('a path with spaces and quotes is a path', async (t) => {
  const repo = twoStates(t, `it's a "repository" here`)
  const checkout = await openCheckout(plan(repo.folder, 'old'))
  assert.equal(await valueOf(checkout.folder), 1)
  checkout.remove()
})

test('the user keeps worktrees of his own', async (t) => {
  const repo = twoStates(t)
  repo.git('worktree', 'add', '--quiet', '../mine', 'old')
  const before = stateOf(repo)
  const checkout = await openCheckout(plan(repo.folder, 'old'))
  checkout.remove()
  assert.equal(stateOf(repo), before)
  assert.equal(await valueOf(join(repo.folder, '../mine')), 1)
})

test('a branch that only the remote has is found there', async (t) => {
  const origin = twoStates(t)
  const clone = join(temporaryFolder(t), 'clone')
  origin.git('clone', '--quiet', '--branch', 'main', origin.folder, clone)
  const checkout = await openCheckout(plan(clone, 'old'))
  assert.equal(await valueOf(checkout.folder), 1)
  checkout.remove()
})

test('a ref that does not exist is told, with those that do', async (t) => {
  const repo = twoStates(t)
  await assert.rejects(openCheckout(plan(repo.folder, 'nothing')), unavailable(/no such branch, tag or commit; there are .*old/)) // prettier-ignore
  await assert.rejects(openCheckout(plan(repo.folder, '--all')), unavailable(/no such branch/))
})

test('a shallow clone that does not hold the commit is told, with the fix', async (t) => {
  const repo = twoStates(t)
  const old = repo.git('rev-parse', 'old').trim()
  const clone = join(temporaryFolder(t), 'clone')
  repo.git('clone', '--quiet', '--depth', '1', pathToFileURL(repo.folder).href, clone)
  for (const ref of ['old', old])
    await assert.rejects(openCheckout(plan(clone, ref)), unavailable(/shallow clone.*git fetch --unshallow, or fetch-depth: 0/)) // prettier-ignore
})

test('a folder outside of any repository, and a machine without git, are told', async (t) => {
  await assert.rejects(openCheckout(plan(temporaryFolder(t), 'main')), unavailable(/lies in no git repository; compare two files/)) // prettier-ignore
  const { PATH } = process.env
  process.env.PATH = temporaryFolder(t)
  t.after(() => (process.env.PATH = PATH))
  await assert.rejects(openCheckout(plan(process.cwd(), 'main')), unavailable(/git is not installed/))
})

test('a submodule is there in the commit of that state, and is not fetched', async (t) => {
  const part = repository(join(temporaryFolder(t), 'part'))
  part.commit({ 'value.js': 'export const value = () => 10\n' })
  const repo = twoStates(t)
  repo.git('submodule', '--quiet', 'add', part.folder, 'parts/part')
  repo.commit({})
  repo.git('branch', 'with-part')
  const inside = repository(join(repo.folder, 'parts/part'))
  inside.commit({ 'value.js': 'export const value = () => 20\n' })
  repo.commit({})
  rmSync(part.folder, { recursive: true })
  const before = stateOf(repo)
  const checkout = await openCheckout(plan(repo.folder, 'with-part'))
  assert.equal(await valueOf(checkout.folder, 'parts/part/value.js'), 10)
  checkout.remove()
  assert.equal(stateOf(repo), before)
})

test('a submodule that was never fetched is told, with the command', async (t) => {
  const part = repository(join(temporaryFolder(t), 'part'))
  part.commit({ 'value.js': '' })
  const repo = twoStates(t)
  repo.git('submodule', '--quiet', 'add', part.folder, 'part')
  repo.commit({})
  const clone = join(temporaryFolder(t), 'clone')
  repo.git('clone', '--quiet', repo.folder, clone)
  await assert.rejects(openCheckout(plan(clone, 'HEAD')), unavailable(/submodule part is not here.*git submodule update --init part/)) // prettier-ignore
  assert.equal(existsSync(join(clone, '.git/worktrees')), false, 'nothing is left behind')
})

test('where lock files are equal the installed packages are those of both states', async (t) => {
  const repo = twoStates(t)
  repo.write({ '.gitignore': 'node_modules\n' })
  repo.commit({ 'src/uses.js': `export { value } from 'some-package'\n` })
  const some = { 'node_modules/some-package/package.json': '{"name":"some-package","main":"index.js"}', 'node_modules/some-package/index.js': 'exports.value = () => 7' } // prettier-ignore
  repo.write({ ...some, 'node_modules/@scope/one/package.json': '{}' })
  const checkout = await openCheckout(plan(repo.folder, 'HEAD'))
  assert.equal(await valueOf(checkout.folder, 'src/uses.js'), 7)
  assert.ok(existsSync(join(checkout.folder, 'node_modules/@scope/one/package.json')))
  checkout.remove()
  assert.ok(existsSync(join(repo.folder, 'node_modules/some-package/index.js')), 'the links are removed, and not what they lead to') // prettier-ignore
})

test('in a workspace the old state uses the old code of its own packages', async (t) => {
  const repo = repository(join(temporaryFolder(t), 'workspace'))
  repo.write({ '.gitignore': 'node_modules\n', 'package.json': '{"workspaces":["packages/*"]}', 'package-lock.json': '{}' }) // prettier-ignore
  repo.write({ 'packages/part/package.json': '{"name":"part","type":"module","main":"index.js"}', 'packages/app/package.json': '{"name":"app","type":"module","dependencies":{"part":"*"}}' }) // prettier-ignore
  repo.commit({ 'packages/part/index.js': 'export const value = () => 1\n', 'packages/app/tasks.js': `export { value } from 'part'\n` }) // prettier-ignore
  repo.git('branch', 'old')
  repo.commit({ 'packages/part/index.js': 'export const value = () => 2\n' })
  mkdirSync(join(repo.folder, 'node_modules'))
  symlinkSync('../packages/part', join(repo.folder, 'node_modules/part'))
  const checkout = await openCheckout(plan(repo.folder, 'old'))
  assert.equal(await valueOf(checkout.folder, 'packages/app/tasks.js'), 1)
  assert.equal(await valueOf(repo.folder, 'packages/app/tasks.js'), 2)
  checkout.remove()
})

test('where lock files differ the old dependencies are installed there, by the manager of the lock file', async (t) => {
  const repo = repository(join(temporaryFolder(t), 'repository'))
  const locked = (version) => ({
    'package.json': JSON.stringify({ name: 'app', version: '1.0.0', type: 'module', dependencies: { part: `file:parts/${version}` } }), // prettier-ignore
    'package-lock.json': JSON.stringify({
      ...{ name: 'app', version: '1.0.0', lockfileVersion: 3, requires: true },
      packages: {
        '': { name: 'app', version: '1.0.0', dependencies: { part: `file:parts/${version}` } },
        'node_modules/part': { resolved: `parts/${version}`, link: true },
        [`parts/${version}`]: { name: 'part', version: `${version}.0.0` },
      },
    }),
    [`parts/${version}/package.json`]: JSON.stringify({ name: 'part', version: `${version}.0.0`, main: 'index.js' }), // prettier-ignore
    [`parts/${version}/index.js`]: `exports.value = () => ${version}`,
  })
  repo.write({ '.gitignore': 'node_modules\n', 'tasks.js': `export { value } from 'part'\n` })
  repo.commit(locked(1))
  repo.git('branch', 'old')
  repo.commit(locked(2))
  const notes = []
  const checkout = await openCheckout(plan(repo.folder, 'old', { note: (text) => notes.push(text) }))
  assert.equal(await valueOf(checkout.folder, 'tasks.js'), 1)
  assert.match(notes.join(), /The dependencies of old are others: npm ci/)
  checkout.remove()
})

test('a lock file whose manager is missing is told by its name', async (t) => {
  const repo = repository(join(temporaryFolder(t), 'repository'))
  repo.commit({ 'package.json': '{}', 'bun.lock': '1' })
  repo.git('branch', 'old')
  repo.commit({ 'bun.lock': '2' })
  const isHere = (process.env.PATH ?? '').split(':').some((folder) => existsSync(join(folder, 'bun')))
  if (isHere) return t.skip('bun is installed')
  await assert.rejects(openCheckout(plan(repo.folder, 'old')), unavailable(/could not be installed by bun: bun is not installed/)) // prettier-ignore
  assert.equal(existsSync(join(repo.folder, '.git/worktrees')), false)
})

test('a build runs there, in the folder that is this one, and one that fails is told', async (t) => {
  const repo = twoStates(t)
  const code = `require('fs').writeFileSync('built.js', 'export const value = () => 5')`
  const checkout = await openCheckout(
    plan(join(repo.folder, 'src'), 'old', { build: [process.execPath, '-e', code] }),
  )
  assert.equal(await valueOf(checkout.folder, 'src/built.js'), 5)
  assert.equal(existsSync(join(repo.folder, 'src/built.js')), false)
  checkout.remove()
  const failing = plan(repo.folder, 'old', { build: [process.execPath, '-e', 'console.error("no way"); process.exit(3)'] }) // prettier-ignore
  await assert.rejects(openCheckout(failing), unavailable(/its build failed.*no way/))
  assert.equal(existsSync(join(repo.folder, '.git/worktrees')), false)
})

test('an abort ends what runs there, and leaves nothing', async (t) => {
  const repo = twoStates(t)
  const controller = new AbortController()
  const note = () => setTimeout(() => controller.abort(new Error('enough')), 50)
  const build = [process.execPath, '-e', 'setInterval(() => {}, 1000)']
  await assert.rejects(
    openCheckout(plan(repo.folder, 'old', { build, note, signal: controller.signal })),
    /enough/,
  )
  assert.equal(existsSync(join(repo.folder, '.git/worktrees')), false)
  assert.equal(readFileSync(join(repo.folder, 'src/tasks.js'), 'utf8'), 'export const value = () => 2\n')
})

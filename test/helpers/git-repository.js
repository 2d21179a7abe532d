// Real repositories of git for tests, in temporary folders.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.org', '-c', 'commit.gpgsign=false', '-c', 'protocol.file.allow=always'] // prettier-ignore

/** A repository in `folder`; `git(...)` runs a command there and gives what it prints. */
export function repository(folder) {
  mkdirSync(folder, { recursive: true })
  const git = (...args) => execFileSync('git', [...identity, ...args], { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }) // prettier-ignore
  if (!existsSync(join(folder, '.git'))) git('init', '--quiet', '--initial-branch=main')
  const write = (files) => {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true })
      writeFileSync(join(folder, name), text)
    }
  }
  const commit = (files, message = 'change') => {
    write(files)
    git('add', '--all')
    git('commit', '--quiet', '--message', message)
    return git('rev-parse', 'HEAD').trim()
  }
  return { folder, git, write, commit }
}

/** All that git and the user's folder hold that a comparison must not change. */
export function stateOf({ git }) {
  return [
    git('status', '--porcelain=v1', '--branch'),
    git('diff'),
    git('diff', '--cached'),
    git('stash', 'list'),
    git('worktree', 'list'),
    git('for-each-ref'),
    git('config', '--list', '--local'),
  ].join('\n')
}

/** Temporary folders of checkouts that are there now. */
export const leftCheckouts = () =>
  readdirSync(tmpdir()).filter((name) => name.startsWith('threadwise-compare-'))

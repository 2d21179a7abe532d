// Finds the cgroups of this process that may hold a limit, of CPU or of memory: its own and every ancestor that is mounted here.
//
//   /proc/self/cgroup      which cgroup:   "0::/app" (v2), "4:cpu,cpuacct:/docker/1f" (v1)
//   /proc/self/mountinfo   where to look:  mount root "/docker/1f" is visible at "/sys/fs/cgroup/cpu,cpuacct"
//
// The cgroup's path and the mount's root count from the same place (the root of the cgroup namespace), so the folder is
// the mount point + what is left of the path after the mount's root. Without a cgroup namespace, as Docker does on v1,
// path and root are both the host's; with one, both are "/".

import { posix } from 'node:path'
import type { FileTree } from './file-tree.js'

export type CgroupVersion = 'cgroup-v2' | 'cgroup-v1'

export interface OwnCgroup {
  version: CgroupVersion
  /** Folders from the process's own cgroup up to the mount point. */
  folders: string[]
  /** False when the own cgroup lies outside of every mount: then `folders` is only the mount point, as a guess. */
  isLocated: boolean
}

interface Membership {
  version: CgroupVersion
  path: string
}

interface CgroupMount {
  version: CgroupVersion
  root: string
  mountPoint: string
}

/** A controller of v1, each of which may have folders of its own. */
export type Controller = 'cpu' | 'memory'

/** At most one entry for v2 and one for the controller of v1; a hybrid machine has both. */
export function ownCgroups(tree: FileTree, controller: Controller = 'cpu'): OwnCgroup[] {
  const memberships = parseMemberships(tree, controller)
  if (memberships.length === 0) return []
  const mounts = parseMounts(tree, controller)
  return memberships.flatMap((membership) => {
    const candidates = mounts.filter((mount) => mount.version === membership.version)
    return candidates.length === 0 ? [] : [locate(tree, membership, candidates)]
  })
}

function parseMemberships(tree: FileTree, controller: Controller): Membership[] {
  const file = '/proc/self/cgroup'
  const memberships: Membership[] = []
  for (const line of lines(tree.read(file))) {
    // Only the first two colons separate: the path may hold more of them ("pod1.slice:cri-containerd:1f").
    const match = /^(\d+):([^:]*):(\/.*)$/.exec(line)
    if (!match) {
      tree.problems.push(`${file} has a line that is no cgroup, ${JSON.stringify(line)}; it was ignored.`)
      continue
    }
    const [, id, controllers = '', rawPath = ''] = match
    const path = rawPath.replace(/ \(deleted\)$/, '')
    if (id === '0' && controllers === '') memberships.push({ version: 'cgroup-v2', path })
    else if (controllers.split(',').includes(controller)) memberships.push({ version: 'cgroup-v1', path })
  }
  return memberships
}

/** The mounts of cgroup2, and of those v1 hierarchies that hold the controller. */
function parseMounts(tree: FileTree, controller: Controller): CgroupMount[] {
  const file = '/proc/self/mountinfo'
  const mounts: CgroupMount[] = []
  for (const line of lines(tree.read(file))) {
    if (!line.includes('cgroup')) continue
    // id parent major:minor ROOT MOUNTPOINT options [optional fields] - TYPE source SUPEROPTIONS (man proc_pid_mountinfo)
    const [place = '', kind] = line.split(' - ')
    const [, , , root, mountPoint] = place.split(' ')
    if (kind === undefined || !root?.startsWith('/') || !mountPoint?.startsWith('/')) {
      tree.problems.push(`${file} has a line that is no mount, ${JSON.stringify(line)}; it was ignored.`)
      continue
    }
    const [type, , superOptions = ''] = kind.split(' ')
    const version = cgroupVersion(type, superOptions, controller)
    if (version) mounts.push({ version, root: unescape(root), mountPoint: unescape(mountPoint) })
  }
  return mounts
}

function cgroupVersion(
  type: string | undefined,
  superOptions: string,
  controller: Controller,
): CgroupVersion | null {
  if (type === 'cgroup2') return 'cgroup-v2'
  return type === 'cgroup' && superOptions.split(',').includes(controller) ? 'cgroup-v1' : null
}

function locate(tree: FileTree, { version, path }: Membership, mounts: CgroupMount[]): OwnCgroup {
  const found = mounts
    .flatMap((mount) => {
      const inside = pathInside(mount.root, path)
      return inside === null ? [] : [{ mount, folder: posix.join(mount.mountPoint, inside) }]
    })
    .sort((a, b) => a.mount.root.length - b.mount.root.length) // the shortest root shows the most ancestors
  const best = found.find(({ folder }) => tree.has(folder)) ?? found[0]
  if (best) return { version, folders: upTo(best.mount.mountPoint, best.folder), isLocated: true }

  // A mount of another subtree is most likely the container's own: a limit too tight is the safer error.
  const { mountPoint } = mounts[0] as CgroupMount
  tree.problems.push(
    `The cgroup of this process, ${path}, is not visible below ${mountPoint}: ` +
      `only the limit at ${mountPoint} was read, and a tighter one may hold.`,
  )
  return { version, folders: [mountPoint], isLocated: false }
}

/** What is left of `path` below `root`, or null when it lies outside; ".." leads out of the cgroup namespace. */
function pathInside(root: string, path: string): string | null {
  const base = root === '/' ? '' : root
  if (path !== base && !path.startsWith(`${base}/`)) return null
  const inside = path.slice(base.length)
  return inside.split('/').includes('..') ? null : inside
}

function upTo(mountPoint: string, folder: string): string[] {
  const folders = [posix.normalize(folder)]
  const end = posix.normalize(mountPoint)
  let last = folders[0] as string
  while (last !== end && last !== '/') {
    last = posix.dirname(last)
    folders.push(last)
  }
  return folders.map((each) => (each === '/' ? each : each.replace(/\/$/, '')))
}

function lines(text: string | null): string[] {
  return (text ?? '').split('\n').filter((line) => line !== '')
}

/** mountinfo writes space, tab, newline and backslash as \040 \011 \012 \134. */
function unescape(field: string): string {
  return field.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(parseInt(octal, 8)))
}

// Limits children with a cgroup v2 quota: needs root, or a cgroup that was delegated to the user.
//
// A v2 cgroup that holds processes, as our own does, cannot hand the cpu controller to ordinary children ("no internal
// processes"). The cpu controller is a threaded one, though, and *threaded* children are exempt from that rule:
//
//   own cgroup        (domain -> "domain threaded")   cgroup.subtree_control: +cpu
//   └─ threadwise-…   cgroup.type: threaded           cpu.max: "60000 100000"
//
// So no process but the adopted one is moved, and the quotas of all ancestors keep holding. The rejected way, a sibling of
// our cgroup, would escape our own quota. The root cgroup is exempt from the rule anyway. (Kernel docs: cgroup-v2.rst,
// "Threads".)

import { accessSync, constants, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createCgroup, subfolders, sweepCgroups } from './cgroup-folder.js'
import type { FileTree } from '../file-tree.js'
import { cgroupLimit, ownFolder, writeControls } from './limit-cgroup.js'
import { systemErrorText, periodUs, quotaUs, type LimitMethod, type LimitRefusal } from './limit-method.js'

export const cgroupV2: LimitMethod = {
  name: 'cgroup-v2',
  open({ cpus, tree }) {
    const parent = usableParent(tree)
    if (typeof parent !== 'string') return parent
    sweepCgroups(parent)
    let undo = () => {}
    try {
      const hadCpu = listsCpu(parent, 'cgroup.subtree_control')
      const folder = createCgroup(parent, () => hadCpu || takeBackCpu(parent))
      undo = () => folder.removeNow()
      const isRoot = !existsSync(join(parent, 'cgroup.type')) // only the real root has no type
      if (!isRoot) writeControls(folder.path, { 'cgroup.type': 'threaded' })
      if (!hadCpu) writeControls(parent, { 'cgroup.subtree_control': '+cpu' })
      writeControls(folder.path, { 'cpu.max': `${quotaUs(cpus)} ${periodUs}` })
      return cgroupLimit(cpus, 'cgroup-v2', folder)
    } catch (error) {
      undo()
      return { refused: systemErrorText(error) }
    }
  },
}

function usableParent(tree: FileTree): string | LimitRefusal {
  const parent = ownFolder(tree, 'cgroup-v2')
  if (typeof parent !== 'string') return parent
  try {
    if (!listsCpu(parent, 'cgroup.controllers')) return { refused: `${parent} has no cpu controller` }
    accessSync(join(parent, 'cgroup.procs'), constants.W_OK) // needed to move a child from here to below
    return parent
  } catch (error) {
    return { refused: systemErrorText(error) }
  }
}

function listsCpu(parent: string, file: string): boolean {
  return readFileSync(join(parent, file), 'utf8').trim().split(' ').includes('cpu')
}

/** Makes our cgroup an ordinary one again; not while others below it use the controller, who would lose their limit. */
function takeBackCpu(parent: string): void {
  if (subfolders(parent).length > 0) return
  try {
    writeControls(parent, { 'cgroup.subtree_control': '-cpu' })
  } catch {
    // It stays enabled, which limits nobody.
  }
}

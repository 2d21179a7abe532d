// Limits children with a cgroup v1 quota: needs write access to the cpu hierarchy, which normally means root.

import { createCgroup, sweepCgroups } from './cgroup-folder.js'
import { cgroupLimit, ownFolder, writeControls } from './limit-cgroup.js'
import { systemErrorText, periodUs, quotaUs, type LimitMethod } from './limit-method.js'

export const cgroupV1: LimitMethod = {
  name: 'cgroup-v1',
  open({ cpus, tree }) {
    const parent = ownFolder(tree, 'cgroup-v1')
    if (typeof parent !== 'string') return parent
    sweepCgroups(parent)
    let undo = () => {}
    try {
      const folder = createCgroup(parent)
      undo = () => folder.removeNow()
      // The period first: the kernel checks quota / period against the parent's at each write.
      writeControls(folder.path, {
        'cpu.cfs_period_us': String(periodUs),
        'cpu.cfs_quota_us': String(quotaUs(cpus)),
      })
      return cgroupLimit(cpus, 'cgroup-v1', folder)
    } catch (error) {
      undo()
      return { refused: systemErrorText(error) }
    }
  },
}

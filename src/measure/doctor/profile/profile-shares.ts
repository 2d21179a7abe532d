// Divides the samples of a CPU profile among the functions of the user, packages, garbage collection and other native code.

import type { Profiler } from 'node:inspector'
import { selfTimes } from './sample-times.js'

type Node = Profiler.ProfileNode

export interface FunctionTime<Key> {
  key: Key
  /** Microseconds in it, with the packages and the parts of Node that it calls, without other functions of the user. */
  ownUs: number
  /** With all that it calls. */
  inclusiveUs: number
  /** Of `ownUs`, by the function of Node that it was spent in, such as pbkdf2Sync. */
  inNodeUs: Map<string, number>
}

export interface ProfileShares<Key> {
  busyUs: number
  packagesUs: number
  collectionUs: number
  nativeUs: number
  functions: FunctionTime<Key>[]
}

/** @param keyOf gives the same object for the same function of the user, and null for all other code */
export function profileShares<Key>(
  profile: Profiler.Profile,
  keyOf: (frame: Node['callFrame']) => Key | null,
): ProfileShares<Key> {
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]))
  const selfUs = selfTimes(profile)
  const shares: ProfileShares<Key> = { busyUs: 0, packagesUs: 0, collectionUs: 0, nativeUs: 0, functions: [] }
  const functions = new Map<Key, FunctionTime<Key>>()
  const timeOf = (key: Key) => {
    const time = functions.get(key) ?? { key, ownUs: 0, inclusiveUs: 0, inNodeUs: new Map() }
    functions.set(key, time)
    return time
  }
  const visit = (node: Node, path: readonly Key[], inNode: string | null) => {
    const key = keyOf(node.callFrame)
    const stack = key === null ? path : [...path, key]
    const { functionName, url } = node.callFrame
    const name = key === null ? (inNode ?? (url.startsWith('node:') ? functionName : null)) : null
    const us = selfUs.get(node.id) ?? 0
    if (us > 0 && functionName !== '(idle)') {
      shares.busyUs += us
      const innermost = stack.at(-1)
      if (innermost === undefined) shares[kindOf(node)] += us
      else {
        const time = timeOf(innermost)
        time.ownUs += us
        if (name !== null) time.inNodeUs.set(name, (time.inNodeUs.get(name) ?? 0) + us)
        for (const each of new Set(stack)) timeOf(each).inclusiveUs += us // once, also in a recursion
      }
    }
    for (const id of node.children ?? []) visit(nodes.get(id)!, stack, name)
  }
  const root = profile.nodes[0]
  if (root) visit(root, [], null)
  shares.functions = [...functions.values()]
  return shares
}

function kindOf({ callFrame }: Node): 'packagesUs' | 'collectionUs' | 'nativeUs' {
  if (callFrame.functionName === '(garbage collector)') return 'collectionUs'
  return callFrame.url === '' ? 'nativeUs' : 'packagesUs'
}

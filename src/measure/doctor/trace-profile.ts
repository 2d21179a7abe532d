// What a profile shows over time: how busy the loop was, its longest turns and what they were made of; and all of it as a flame graph.

import type { Profiler } from 'node:inspector'
import type { DoctorTrace, FlameNode } from '../results/doctor-result.js'
import { selfTimes } from './profile/sample-times.js'
import { shownFunction } from './shown-words.js'

type Node = Profiler.ProfileNode

const SLICE_MS = 50
const MAX_TURNS = 5
/** Of the busy time: a narrower part could not be seen. */
const MIN_SHARE = 0.004
const MAX_DEPTH = 40
/** Of a turn. */
const MIN_PART = 0.03

export interface Frames {
  /** The user's name of a function; null for all other code. */
  readonly nameOf: (frame: Node['callFrame']) => string | null
  readonly placeOf: (frame: Node['callFrame']) => string
}

export function traceProfile(profile: Profiler.Profile, frames: Frames): DoctorTrace {
  const samples = samplesOf(profile)
  const labels = labelsOf(profile, frames)
  return {
    sliceMs: SLICE_MS,
    busy: busySlices(samples),
    turns: longestTurns(samples, labels),
    flame: flameOf(profile, frames),
  }
}

interface Sample {
  readonly node: number
  readonly us: number
  readonly isIdle: boolean
}

/** Along the time a sample stands for that until the next one. */
function samplesOf({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): Sample[] {
  const idle = new Set(nodes.filter(({ callFrame }) => isIdle(callFrame)).map(({ id }) => id))
  return samples.map((node, at) => ({
    node,
    isIdle: idle.has(node),
    us: Math.max(0, timeDeltas[at + 1] ?? 0),
  }))
}

function isIdle({ functionName }: Node['callFrame']): boolean {
  return functionName === '(idle)'
}

/** Share of each slice that was busy. */
function busySlices(samples: readonly Sample[]): number[] {
  const slices: number[] = []
  let at = 0
  for (const { us, isIdle } of samples)
    for (let left = us; left > 0;) {
      const index = Math.floor(at / (SLICE_MS * 1000))
      const part = Math.min(left, (index + 1) * SLICE_MS * 1000 - at)
      slices[index] = (slices[index] ?? 0) + (isIdle ? 0 : part)
      at += part
      left -= part
    }
  return slices.map((us) => Math.round((100 * us) / (SLICE_MS * 1000)) / 100)
}

/** What a node counts for: the innermost function of the user in its stack, or what it is itself. */
function labelsOf({ nodes }: Profiler.Profile, { nameOf }: Frames): Map<number, string> {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const labels = new Map<number, string>()
  const visit = (node: Node, inherited: string | null) => {
    const { functionName, url } = node.callFrame
    const own =
      nameOf(node.callFrame) ?? (functionName === '(garbage collector)' ? 'garbage collection' : null)
    const label = own ?? inherited
    labels.set(node.id, label ?? (url === '' ? 'native code' : 'packages, Node.js'))
    for (const id of node.children ?? []) visit(byId.get(id)!, label)
  }
  if (nodes[0]) visit(nodes[0], null)
  return labels
}

/** A turn ends where the loop waits. */
function longestTurns(samples: readonly Sample[], labels: ReadonlyMap<number, string>): DoctorTrace['turns'] {
  const turns = [new Map<string, number>()]
  for (const { node, us, isIdle } of samples) {
    const turn = turns.at(-1)!
    if (isIdle && turn.size > 0) turns.push(new Map())
    if (isIdle) continue
    const label = labels.get(node)!
    turn.set(label, (turn.get(label) ?? 0) + us / 1000)
  }
  const total = (turn: ReadonlyMap<string, number>) => [...turn.values()].reduce((sum, ms) => sum + ms, 0)
  return turns
    .map((turn) => ({ ms: total(turn), turn }))
    .filter(({ ms }) => ms > 0)
    .sort((a, b) => b.ms - a.ms)
    .slice(0, MAX_TURNS)
    .map(({ ms, turn }) => ({ ms, parts: partsOf(turn, ms) }))
}

function partsOf(turn: ReadonlyMap<string, number>, total: number): { name: string; ms: number }[] {
  const parts = [...turn].map(([name, ms]) => ({ name, ms })).sort((a, b) => b.ms - a.ms)
  return parts.filter(({ ms }) => ms >= MIN_PART * total)
}

function flameOf(profile: Profiler.Profile, frames: Frames): FlameNode | null {
  const { nodes } = profile
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const selfUs = selfTimes(profile)
  for (const { id, callFrame } of nodes) if (isIdle(callFrame)) selfUs.delete(id)
  const busyUs = [...selfUs.values()].reduce((sum, us) => sum + us, 0)
  const build = (node: Node, depth: number): { us: number; flame: FlameNode } => {
    const children = (node.children ?? []).map((id) => build(byId.get(id)!, depth + 1))
    const us = (selfUs.get(node.id) ?? 0) + children.reduce((sum, child) => sum + child.us, 0)
    const shown = children.filter((child) => child.us >= MIN_SHARE * busyUs && depth < MAX_DEPTH)
    const { callFrame } = node
    return {
      us,
      flame: {
        name: frames.nameOf(callFrame) ?? (shownFunction(callFrame) || '(anonymous)'),
        place: frames.placeOf(callFrame),
        isYours: frames.nameOf(callFrame) !== null,
        share: busyUs === 0 ? 0 : us / busyUs,
        children: shown.map(({ flame }) => flame),
      },
    }
  }
  return nodes[0] && busyUs > 0 ? build(nodes[0], 0).flame : null
}

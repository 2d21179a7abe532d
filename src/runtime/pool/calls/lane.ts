// Lanes: the places of a pool's workers, numbered from 0. A worker that replaces another one takes over its lane.

import { hashOf } from '../../../primitives/hash.js'

/** The lane of all calls with this key. */
export function laneOf(key: string | number, lanes: number): number {
  return hashOf(String(key)) % lanes
}

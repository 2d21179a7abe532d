// Waits until others leave the machine alone: what they use would slow what is measured.

import { ownCpuMs, type MachineCpu } from './machine-cpu.js'

/** Others are at rest below this many CPUs, within so many milliseconds. */
const QUIET = { cpus: 0.25, lookMs: 150 }

/** At most so many seconds; gives how many it waited. Not at all where the platform does not say what others use. `now`: milliseconds. */
export async function waitForQuiet(
  { machineCpu, now }: { readonly machineCpu: MachineCpu; readonly now: () => number },
  seconds: number,
): Promise<number> {
  const began = now()
  do {
    const [before, ownBefore, from] = [machineCpu(), ownCpuMs(), now()]
    await new Promise((resolve) => setTimeout(resolve, QUIET.lookMs))
    const after = machineCpu()
    if (before === null || after === null) break
    if ((after - before - (ownCpuMs() - ownBefore)) / (now() - from) < QUIET.cpus) break
  } while (now() - began < 1000 * seconds)
  return (now() - began) / 1000
}

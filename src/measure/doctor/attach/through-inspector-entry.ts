// A child of doctor that opens the inspector of another process, and closes it also when doctor has been killed meanwhile.

import { startAgentIn } from './through-inspector.js'

const [pid, folder] = process.argv.slice(2)
let hasTurned = false
process.on('message', () => (hasTurned = true))
void startAgentIn({
  pid: Number(pid),
  folder: folder!,
  isWanted: () => process.connected,
  hasTurned: () => hasTurned,
  tell: (outcome) => void (process.connected && process.send!(outcome, () => {})),
}).finally(() => process.connected && process.disconnect())

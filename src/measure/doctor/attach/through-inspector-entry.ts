// A child of doctor that opens the inspector of another process, and closes it also when doctor has been killed meanwhile.

import { startAgentIn } from './through-inspector.js'

const [pid, folder] = process.argv.slice(2)
void startAgentIn(Number(pid), folder!).then((outcome) => {
  if (process.connected) process.send!(outcome, () => process.disconnect())
})

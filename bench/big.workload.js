import { defineWorkload } from 'threadwise/measure'

const bytes = new Uint8Array(4 * 1024 * 1024).fill(1)

export default defineWorkload({
  module: new URL('./verdict-tasks.js', import.meta.url),
  task: 'firstByte',
  inputs: [[bytes]],
})

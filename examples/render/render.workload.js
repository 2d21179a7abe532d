import { defineWorkload } from 'threadwise/measure'

export default defineWorkload({
  module: new URL('./tasks.js', import.meta.url),
  task: 'renderLove',
  inputs: [[{ me: 'Thomas', you: 'Katelyn' }], [{ me: 'Ada', you: 'Grace' }]],
})

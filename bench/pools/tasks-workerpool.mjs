// workerpool wants its functions registered.
import workerpool from 'workerpool'
import * as tasks from './tasks.mjs'

workerpool.worker({ ...tasks })

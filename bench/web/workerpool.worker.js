import workerpool from 'workerpool'
import * as tasks from './tasks.js'

workerpool.worker({ ...tasks })

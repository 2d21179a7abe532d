import { expose } from 'comlink'
import * as tasks from './tasks.js'

expose({ ...tasks })

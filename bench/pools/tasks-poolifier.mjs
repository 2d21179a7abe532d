// poolifier wants its functions registered.
import { ThreadWorker } from 'poolifier'
import * as tasks from './tasks.mjs'

export default new ThreadWorker({ ...tasks }, { maxInactiveTime: 60_000 })

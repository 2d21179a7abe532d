import { serve } from 'threadwise/web/worker'
import * as tasks from './tasks.js'

serve(tasks)

import { serve } from '../../dist/web-worker.js'
import * as tasks from './tasks.js'

serve(tasks)

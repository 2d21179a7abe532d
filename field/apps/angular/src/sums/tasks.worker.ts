import { serve } from 'threadwise/web/worker'
import * as tasks from './tasks'

serve(tasks)

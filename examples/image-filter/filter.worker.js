import { serve } from 'threadwise/web/worker'
import * as filters from './filter.js'

serve(filters)

import { serve } from 'threadwise/web/worker'
import * as sales from './sales.js'

serve(sales)

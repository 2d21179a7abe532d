import { contractIn } from '../helpers/contract-in-browser.js'

contractIn('webkit')

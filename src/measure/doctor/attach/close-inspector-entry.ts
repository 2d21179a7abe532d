// A thread that doctor starts in the process whose inspector it has opened.

import { workerData } from 'node:worker_threads'
import { closeInspector, type Closing } from './close-inspector.js'

void closeInspector(workerData as Closing)

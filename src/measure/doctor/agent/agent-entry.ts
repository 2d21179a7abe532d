// Loaded before the app under `threadwise doctor`, and before every program that it starts: looks at it from within.

import { isMainThread } from 'node:worker_threads'
import { startAgent } from './agent.js'
import { FOLDER_VARIABLE } from './json-lines.js'

const folder = process.env[FOLDER_VARIABLE]
if (isMainThread && folder !== undefined) startAgent(folder)

// What doctor runs in a process that ran already, by its inspector: starts the agent there.

import { connect } from 'node:net'
import { startAttached } from './attached.js'
import { ATTACH_FOLDER, agentSocketPath } from './json-lines.js'

const holder = globalThis as unknown as Record<symbol, string>
const folder = holder[Symbol.for(ATTACH_FOLDER)]!
Reflect.deleteProperty(globalThis, Symbol.for(ATTACH_FOLDER))
startAttached(connect(agentSocketPath(folder)).unref())

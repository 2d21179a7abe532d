// A page as docs/web.md shows it: the worker is a file of its own.
import { web } from 'threadwise/web'
import { answer } from './answer.js'

const start = () => new Worker(new URL('./tasks.worker.js', import.meta.url), { type: 'module' })
void answer(web(start, { name: 'app' })).then((text) => document.body.append(text))

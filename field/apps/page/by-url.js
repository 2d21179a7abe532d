// The same where the bundler has the plugin: the task module itself.
import { web } from 'threadwise/web'
import { answer } from './answer.js'

const pool = web(new URL('./tasks.js', import.meta.url), { name: 'app' })
void answer(pool).then((text) => document.body.append(text))

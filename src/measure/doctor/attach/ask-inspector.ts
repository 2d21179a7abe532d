// Evaluates an expression through the inspector of a process of this machine: at 127.0.0.1 alone, through no proxy, at no other address
// than that of the port that was asked for.

import { request } from 'node:http'
import { WebSocket } from 'ws'

/** For each step: whoever listens there may never answer. */
const MAX_MS = 5000
const MAX_LENGTH = 100_000
const HOST = '127.0.0.1'

interface Reply {
  id?: number
  result?: { result?: { value?: unknown } }
}

/** Rejects where no inspector answers. */
export async function askInspector(port: number, expression: string): Promise<string> {
  const address = `ws://${HOST}:${port}/${await targetAt(port)}`
  const socket = new WebSocket(address, { handshakeTimeout: MAX_MS, followRedirects: false })
  const params = { expression, returnByValue: true, includeCommandLineAPI: true } // its require() is there where an app has removed `process`
  const question = { id: 1, method: 'Runtime.evaluate', params }
  let timer: NodeJS.Timeout | undefined
  try {
    return await new Promise<string>((resolve, reject) => {
      timer = setTimeout(() => reject(new Error('its inspector did not answer')), MAX_MS)
      socket.on('open', () => socket.send(JSON.stringify(question)))
      socket.on('message', (data) => {
        const { id, result } = JSON.parse(String(data)) as Reply
        if (id === question.id) resolve(String(result?.result?.value ?? 'no answer'))
      })
      socket.on('error', reject)
      socket.on('close', () => reject(new Error('its inspector was closed')))
    })
  } finally {
    clearTimeout(timer)
    socket.terminate()
  }
}

/** The name of what can be debugged there, which is that of the main thread. */
function targetAt(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const asked = request(
      { host: HOST, port, path: '/json/list', agent: false, timeout: MAX_MS },
      (answer) => {
        let text = ''
        answer.setEncoding('utf8').on('data', (part: string) => {
          text += part
          if (text.length > MAX_LENGTH) asked.destroy()
        })
        answer.on('end', () => {
          const id = targetOf(text)
          if (id === null) reject(new Error(`what listens at port ${port} is no inspector of Node.js`))
          else resolve(id)
        })
      },
    )
    asked.on('timeout', () => asked.destroy(new Error('its inspector did not answer')))
    asked.on('error', reject).end()
  })
}

function targetOf(text: string): string | null {
  try {
    const [target] = JSON.parse(text) as { id?: unknown; type?: unknown }[]
    const isOne = target?.type === 'node' && typeof target.id === 'string' && /^[\w-]{8,64}$/.test(target.id)
    return isOne ? (target.id as string) : null
  } catch {
    return null
  }
}

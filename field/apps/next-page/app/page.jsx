// Rendered on the server first, where no worker starts.
'use client'
import { useEffect, useState } from 'react'
import { web } from 'threadwise/web'
import { answer } from '../sums/answer.js'

const start = () => new Worker(new URL('../sums/tasks.worker.js', import.meta.url), { type: 'module' })
const pool = web(start, { name: 'app' })

export default function Page() {
  const [text, setText] = useState('')
  useEffect(() => void answer(pool).then(setText), [])
  return <p>{text}</p>
}

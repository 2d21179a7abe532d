import { useEffect, useState } from 'react'
import { pool } from './pool.js'

export function Total({ numbers }) {
  const [text, setText] = useState('...')
  useEffect(() => {
    const gone = new AbortController()
    pool.run('sum', [numbers], { signal: gone.signal }).then(setText, (error) => {
      if (!gone.signal.aborted) setText(error.message)
    })
    return () => gone.abort()
  }, [numbers])
  return <output>total {text}</output>
}

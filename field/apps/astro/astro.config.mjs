import node from '@astrojs/node'
import threadwise from 'threadwise/unplugin'

export default {
  output: 'server',
  adapter: node({ mode: 'standalone' }),
  vite: { plugins: [threadwise.vite()] },
}

import threadwise from 'threadwise/unplugin'
import { defineConfig } from 'waku/config'

export default defineConfig({ vite: { plugins: [threadwise.vite()] } })

import { fileURLToPath } from 'node:url'
import threadwise from 'threadwise/unplugin'

export default {
  plugins: [threadwise.vite()],
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } },
}

import { nitro } from 'nitro/vite'
import threadwise from 'threadwise/unplugin'
import { defineConfig } from 'vite'

export default defineConfig({
  plugins: [nitro(), threadwise.vite()],
  environments: { ssr: { build: { rollupOptions: { input: './src/entry-server.ts' } } } },
})

import adapter from '@sveltejs/adapter-node'
import { sveltekit } from '@sveltejs/kit/vite'
import threadwise from 'threadwise/unplugin'

export default { plugins: [sveltekit({ adapter: adapter() }), threadwise.vite()] }

import threadwise from 'threadwise/unplugin'

export default { plugins: [threadwise.vite()] }

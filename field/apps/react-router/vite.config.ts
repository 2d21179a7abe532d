import { reactRouter } from '@react-router/dev/vite'
import threadwise from 'threadwise/unplugin'

export default { plugins: [reactRouter(), threadwise.vite()] }

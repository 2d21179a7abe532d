import { route } from '@react-router/dev/routes'

export default [route('api', './routes/api.ts')]

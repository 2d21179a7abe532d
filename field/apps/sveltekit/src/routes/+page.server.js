import { answer } from '../lib/server/sums/answer.js'

export const load = async () => ({ answer: await answer() })

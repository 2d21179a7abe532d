import { answer } from '../lib/server/sums/answer'

export const load = async () => ({ answer: await answer() })

import { answer } from './sums/answer'

export default { fetch: async () => new Response(await answer()) }

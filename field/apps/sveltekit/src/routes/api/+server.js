import { answer } from '../../lib/server/sums/answer.js'

export const GET = async () => new Response(await answer())

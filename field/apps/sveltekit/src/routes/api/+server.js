import { answer } from '../../lib/server/sums/answer'

export const GET = async () => new Response(await answer())

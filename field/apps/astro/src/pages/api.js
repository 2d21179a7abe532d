import { answer } from '../sums/answer'

export const GET = async () => new Response(await answer())

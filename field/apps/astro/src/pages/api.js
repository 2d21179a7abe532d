import { answer } from '../sums/answer.js'

export const GET = async () => new Response(await answer())

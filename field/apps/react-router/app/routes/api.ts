import { answer } from '../sums/answer'

export const loader = async () => new Response(await answer())

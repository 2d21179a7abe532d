import { answer } from '../sums/answer.js'

export const dynamic = 'force-dynamic'

export default async function Page() {
  return <p>{await answer()}</p>
}

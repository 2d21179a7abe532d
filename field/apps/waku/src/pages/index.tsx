import { answer } from '../sums/answer'

export default async function Page() {
  return <p>{await answer()}</p>
}

export const getConfig = async () => ({ render: 'dynamic' }) as const

import { add } from './actions.js'

export default async function Page({ searchParams }) {
  const { answer } = await searchParams
  return (
    <form action={add}>
      <p>{answer}</p>
      <button>Add</button>
    </form>
  )
}

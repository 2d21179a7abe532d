'use server'
import { redirect } from 'next/navigation'
import { answer } from '../../sums/answer.js'

export async function add() {
  redirect(`/action?answer=${encodeURIComponent(await answer())}`)
}

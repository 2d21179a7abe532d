// A function that keeps what it has found in another module.
import { createServer } from 'node:http'
import { remember } from '../memo-store.mjs'
import { burn } from '../burn.mjs'

function translate(text) {
  return remember(text, () => burn(text.length, 300_000))
}

let number = 0
createServer((request, response) => response.end(String(translate(`text ${number++}`)))).listen(
  process.env.PORT,
)

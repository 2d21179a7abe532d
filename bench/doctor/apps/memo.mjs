// A function that keeps what it has found in another module.
import { createServer } from 'node:http'
import { remember } from '../memo-store.mjs'
import { burn } from '../burn.mjs'
import { moved } from '../moved.mjs'

function translate(text) {
  return remember(text, () => burn(text.length, 600_000))
}

let number = 0
createServer(async (request, response) => {
  const text = `text ${number++}`
  response.end(String(moved.burn ? await moved.burn(text.length, 600_000) : translate(text)))
}).listen(process.env.PORT)

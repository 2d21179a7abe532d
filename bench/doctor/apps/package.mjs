// A function that uses a package without state.
import { createServer } from 'node:http'
import mustache from 'mustache'
import { moved } from '../moved.mjs'

function renderPages({ names, pages }) {
  const template = '{{#names}}<li>{{.}} {{#names}}<b>{{.}}</b>{{/names}}</li>{{/names}}'
  return Array.from({ length: pages }, () => mustache.render(template, { names }).length)
}

const names = Array.from({ length: 30 }, (_, at) => `name ${at}`)
createServer(async (request, response) => {
  const render = moved.renderPages ?? renderPages
  response.end(String(await render({ names, pages: 15 })))
}).listen(process.env.PORT)

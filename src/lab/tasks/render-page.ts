// Tasks of the render experiment: a Mustache template, long and short.

import Mustache from 'mustache'

const card = `
<section class="card">
  <h2>{{title}}</h2>
  <p>{{me}} loves {{you}}, and {{you}} loves {{me}} back.</p>
  <ul>{{#days}}<li class="{{#weekend}}weekend{{/weekend}}">{{name}}: {{hours}} h</li>{{/days}}</ul>
</section>`

const names = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']
const days = names.map((name, i) => ({ name, hours: 8 - i, weekend: i > 4 }))
const view = { title: 'Thomas & Katelyn', me: 'Thomas', you: 'Katelyn', days }
const long = card.repeat(80)

export function renderLong(): string {
  return Mustache.render(long, view)
}

export function renderShort(): string {
  return Mustache.render(card, view)
}

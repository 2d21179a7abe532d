// Renders a page of greetings from a Mustache template: the kind of synchronous work that keeps an event loop busy.
import Mustache from 'mustache'

const row = `
<section class="card">
  <h2>{{title}}</h2>
  <p>{{me}} loves {{you}}, and {{you}} loves {{me}} back.</p>
  <ul>{{#days}}<li class="{{#weekend}}weekend{{/weekend}}">{{name}}: {{hours}} h</li>{{/days}}</ul>
</section>`

const names = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']
const days = names.map((name, i) => ({ name, hours: 8 - i, weekend: i > 4 }))

const long = row.repeat(80)

/** A page with 80 cards. */
export function renderLove({ me, you }) {
  return Mustache.render(long, { me, you, title: `${me} & ${you}`, days })
}

/** One card. */
export function renderOne({ me, you }) {
  return Mustache.render(row, { me, you, title: `${me} & ${you}`, days })
}

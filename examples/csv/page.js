// Makes a file of 100 MB, and adds it up in the page's own thread, and on workers, while an animation runs. `?mb=10`: a smaller one.
import { web } from 'threadwise/web'
import { measure } from 'threadwise/web/measure'
import * as sales from './sales.js'

const MB = 1e6
/** What one call reads on workers. */
const PART_BYTES = 2 * MB
const pool = web(() => new Worker(new URL('./sales.worker.js', import.meta.url), { type: 'module' }))

const panel = document.querySelector('#panel')
const bar = document.querySelector('progress')
const isCalm = globalThis.matchMedia('(prefers-reduced-motion: reduce)')
const buttons = document.querySelectorAll('button')

/** Off while the file is made, and while one of them works: two runs at a time would measure each other. */
async function whileOff(work) {
  for (const button of buttons) button.disabled = true
  try {
    return await work()
  } finally {
    for (const button of buttons) button.disabled = false
  }
}

requestAnimationFrame(function frame() {
  if (!isCalm.matches)
    document.querySelector('#ball').style.translate = `${100 * Math.sin(performance.now() / 400)}px`
  requestAnimationFrame(frame)
})

const megabytes = Number(new URLSearchParams(location.search).get('mb') ?? 100)
let made = 0
async function make(part) {
  const bytes = await pool.tasks.make(part, MB)
  bar.value = ++made / megabytes
  panel.textContent = `The file is being made: ${made} of ${megabytes} MB.`
  return bytes
}
const parts = await whileOff(() => Promise.all(Array.from({ length: megabytes }, (_, part) => make(part))))
const file = new Blob(parts)
panel.textContent = `A file of ${Math.round(file.size / MB)} MB is ready.`

const ways = {
  inline: () => sales.add(file, 0, file.size),
  workers: readByParts,
}

async function readByParts() {
  const total = { rows: 0, sales: new Map() }
  const calls = []
  let read = 0
  for (let from = 0; from < file.size; from += PART_BYTES) {
    const to = Math.min(file.size, from + PART_BYTES)
    const add = (part) => {
      total.rows += part.rows
      for (const [city, cents] of part.sales) total.sales.set(city, (total.sales.get(city) ?? 0) + cents)
      bar.value = (read += to - from) / file.size
    }
    calls.push(pool.tasks.add(file, from, to).then(add))
  }
  await Promise.all(calls)
  return total
}

function show({ rows, sales }, ms) {
  const figure = (value) => Math.round(value).toLocaleString('en')
  panel.textContent = `${figure(rows)} rows in ${figure(ms)} ms`
  const lines = [...sales].sort().map(([city, cents]) => `<tr><td>${city}<td>${figure(cents / 100)} €`)
  document.querySelector('table').innerHTML = lines.join('')
}

const onClick = (button, work) => button.addEventListener('click', () => void whileOff(work))

for (const button of document.querySelectorAll('button[data-way]'))
  onClick(button, async () => {
    bar.value = 0
    const since = performance.now()
    show(await ways[button.dataset.way](), performance.now() - since)
  })

const ROUNDS = 5
onClick(document.querySelector('#measure'), async () => {
  let runs = 0
  const counted = (way) => () => {
    panel.textContent = `Run ${++runs} of ${2 * (ROUNDS + 1)}: ${way}.`
    return ways[way]()
  }
  const compared = { inline: counted('inline'), workers: counted('workers') }
  const { text, sentences } = await measure(compared, { rounds: ROUNDS })
  panel.textContent = text
  document.querySelector('#verdict').textContent = sentences.join(' ')
})

globalThis.example = { file, ways }

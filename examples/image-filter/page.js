// Filters a picture in the page's own thread, and on workers, while an animation runs; draws how long each frame took.
import { web } from 'threadwise/web'
import { measure } from 'threadwise/web/measure'
import * as filters from './filter.js'

const BAND_ROWS = 32
const pool = web(() => new Worker(new URL('./filter.worker.js', import.meta.url), { type: 'module' }))

const canvas = document.querySelector('#picture')
const picture = canvas.getContext('2d', { willReadFrequently: true })
const { width, height } = canvas
paint()
const original = picture.getImageData(0, 0, width, height)

/** Filters all bands by `apply`, and draws each as it comes. */
async function filter(apply) {
  picture.putImageData(original, 0, 0)
  const calls = []
  for (let from = 0; from < height; from += BAND_ROWS) {
    const band = filters.bandOf(original, from, Math.min(height, from + BAND_ROWS))
    const draw = (pixels) => picture.putImageData(new ImageData(pixels, width), 0, from)
    calls.push(Promise.resolve(apply(band)).then(draw))
  }
  await Promise.all(calls)
}

const ways = {
  inline: (name) => filter((band) => filters[name](band)),
  workers: (name) => filter((band) => pool.run(name, [band], { transfer: [band.pixels.buffer] })),
}

const isCalm = globalThis.matchMedia('(prefers-reduced-motion: reduce)')
let running
let last = performance.now()
// Not by the time that a frame is given: of one that was late it is when it was due.
requestAnimationFrame(function frame() {
  const now = performance.now()
  if (!isCalm.matches) document.querySelector('#ball').style.translate = `${100 * Math.sin(now / 400)}px`
  if (running) running.gaps.push(now - last)
  last = now
  requestAnimationFrame(frame)
})

/** Milliseconds, the longest frame, and the frames. */
async function runOnce(way, name) {
  await nextFrame()
  running = { gaps: [] }
  const since = performance.now()
  await ways[way](name)
  const ms = performance.now() - since
  await nextFrame()
  const { gaps } = running
  running = undefined
  return { ms, worst: Math.max(...gaps), gaps }
}

const nextFrame = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))

const buttons = document.querySelectorAll('button')

/** Off while one of them works: two runs at a time would measure each other. */
async function whileOff(work) {
  for (const button of buttons) button.disabled = true
  try {
    await work()
  } finally {
    for (const button of buttons) button.disabled = false
  }
}

const onClick = (button, work) => button.addEventListener('click', () => void whileOff(work))

for (const button of document.querySelectorAll('button[data-way]'))
  onClick(button, async () => {
    const { way, filter: name } = button.dataset
    const { ms, worst, gaps } = await runOnce(way, name)
    const bars = gaps.map((gap) => `<i style="height: ${Math.min(gap, 150)}px"></i>`)
    const text = `${Math.round(ms)} ms, the longest frame ${Math.round(worst)} ms`
    document.querySelector(`#${way}`).innerHTML = `<p>${way}: ${text}</p>${bars.join('')}`
  })

const ROUNDS = 10
onClick(document.querySelector('#measure'), async () => {
  const panel = document.querySelector('#panel')
  let runs = 0
  const counted = (way) => () => {
    panel.textContent = `Run ${++runs} of ${2 * (ROUNDS + 1)}.`
    return ways[way]('blur')
  }
  const { text, sentences } = await measure(
    { inline: counted('inline'), workers: counted('workers') },
    { rounds: ROUNDS },
  )
  panel.textContent = text
  document.querySelector('#verdict').textContent = sentences.join(' ')
})

/** Something with edges, the same each time. */
function paint() {
  for (let i = 0; i < 400; i++) {
    picture.fillStyle = `hsl(${(i * 137) % 360} 70% ${30 + (i % 50)}%)`
    picture.fillRect((i * 97) % width, (i * 61) % height, 12 + (i % 40), 12 + (i % 25))
  }
}

globalThis.example = { runOnce, pixels: () => picture.getImageData(0, 0, width, height).data, pool }

// Draws docs/images/report.png: the upper part of the HTML report on a real run of the example in README.md.
//
//   node scripts/report-picture.mjs               measures first: about two minutes, on a quiet machine with 2 CPUs
//   node scripts/report-picture.mjs report.html   draws a report that is there
//
// What the command line prints of the run goes to standard output, for the text beside the picture. Needs Chromium, as `chromium` on the
// PATH or named by the variable CHROMIUM, and ImageMagick (Debian: apt-get install chromium imagemagick). Chromium takes
// pictures without a package that drives it.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { blocksOf, readPage } from '../test/docs/pages.js'

const WIDTH = 900
const MAX_BYTES = 150_000
const root = fileURLToPath(new URL('..', import.meta.url))
const picture = join(root, 'docs/images/report.png')
const folder = mkdtempSync(join(tmpdir(), 'threadwise-picture-'))

try {
  drawReport(process.argv[2] ?? measureExample())
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** Runs the command of README.md on the task of README.md, and gives the path of the report. */
function measureExample() {
  const blocks = blocksOf(readPage('README.md'))
  const task = blocks.find(({ marks }) => marks.file === 'tasks.js')
  const command = blocks.find(({ text }) => text.startsWith('npx threadwise measure tasks.js')).text
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(folder, 'tasks.js'), task.text)
  const words = command.match(/'[^']*'|\S+/g).map((word) => word.replace(/^'|'$/g, ''))
  run(
    process.execPath,
    [join(root, 'dist/cli/main.js'), ...words.slice(2), '--html', 'report.html'],
    'inherit',
  )
  return join(folder, 'report.html')
}

function drawReport(report) {
  const page = join(folder, 'page.html')
  // The answer and the first plot; the measured height keeps the picture from ending within a line.
  const style =
    '<style>main > section:nth-of-type(n+3), footer { display: none } main { padding-bottom: 1px }</style>'
  const script = '<script>document.title = `height ${document.querySelector("main").offsetHeight}`</script>'
  const html = readFileSync(report, 'utf8').replace(/<meta http-equiv="Content-Security-Policy"[^>]*>/, '') // lets the script run
  writeFileSync(page, html.replace('</body>', `${style}${script}</body>`))
  mkdirSync(dirname(picture), { recursive: true })
  const height = /<title>height (\d+)</.exec(takePage(page, 1000, '--dump-dom'))[1]
  takePage(page, height, `--screenshot=${picture}`)
  run('convert', [picture, '+dither', '-colors', '128', `PNG8:${picture}`], 'pipe') // less than half of the bytes, and no difference to be seen
  const { size } = statSync(picture)
  console.error(`${picture}: ${WIDTH} x ${height}, ${size} bytes`)
  if (size > MAX_BYTES) throw new Error(`the picture is larger than ${MAX_BYTES} bytes`)
}

function takePage(page, height, what) {
  const options = [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--hide-scrollbars',
    '--disable-lcd-text',
    `--window-size=${WIDTH},${height}`,
  ]
  return run(process.env.CHROMIUM ?? 'chromium', [...options, what, pathToFileURL(page).href], 'pipe')
}

function run(command, args, output) {
  const { status, stdout, error } = spawnSync(command, args, {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', output, output === 'pipe' ? 'ignore' : 'inherit'],
  })
  if (error) throw error
  if (status === 3) throw new Error('this machine is too busy for a picture; the reasons are above')
  if (status !== 0) throw new Error(`${command} ended with exit code ${status}`)
  return stdout
}

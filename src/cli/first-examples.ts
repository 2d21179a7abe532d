// What stands above the help of each command: two ways to use it, the most common ones.

import type { Command } from 'commander'

const EXAMPLES: Record<string, [string, string]> = {
  doctor: ['doctor server.js --path /report --try', 'doctor --path /report -- npm start'],
  measure: [
    `measure tasks.js --task render --args '[{"me":"Ada"}]' --quick`,
    'measure --server server.js --path /report',
  ],
  compare: ['compare tasks.js --task render --against main', 'compare old.js new.js --task render'],
  load: ['load http://localhost:3000/', 'load http://localhost:3000/ --rate 200'],
  plan: [
    'plan server.js --path /report --rate 600 --p99 50',
    'plan server.js --rate 200 --p99 100 --cpus 0.5,1,2',
  ],
  dashboard: ['dashboard', 'dashboard --read-only'],
  cpus: ['cpus', 'cpus --json'],
  check: ['check dist', 'check'],
  lab: ['lab', 'lab files'],
  serve: ['serve server.js', 'serve server.js -i max --health /health'],
  deploy: ['deploy', 'deploy ecosystem.config.cjs --env production'],
  list: ['list', 'status web'],
  status: ['status', 'status web --json'],
  monit: ['monit', 'monit web'],
  logs: ['logs web -f', 'logs web --lines 100'],
  reload: ['reload web', 'reload all'],
  scale: ['scale web 4', 'scale web 2'],
  start: ['start web', 'start all'],
  stop: ['stop web', 'stop all'],
  restart: ['restart web', 'restart all'],
  delete: ['delete web', 'delete all'],
  worker: ['worker tasks.js --queue images', 'worker tasks.js --queue images --size 4'],
  queue: ['queue images', 'queue images failures'],
  pools: ['pools', 'pools --json'],
  resize: ['resize 4711 render 4', 'resize 4711 render 1-4'],
}

export function addFirstExamples(program: Command): void {
  for (const command of program.commands) {
    const examples = EXAMPLES[command.name()]
    if (examples)
      command.addHelpText('before', `${examples.map((line) => `  npx threadwise ${line}`).join('\n')}\n`)
  }
}

// The settings that a plan prints.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { writeHandover } from '../../../../build/measure/plan/written/write-handover.js'

const resultOf = (more = {}, row = {}) => ({
  ...{
    date: '2026-11-28T10:00:00.000Z',
    node: 'v24.1.0',
    machine: { cpus: 2, model: 'Test' },
    file: 'src/My server.js',
  },
  ...{
    load: { rate: 600, arrivals: 'poisson', paths: [] },
    goal: { p99: 50, spare: 1 },
    command: 'npx threadwise plan x',
  },
  calibration: [{ path: '/report', cpuMs: 24.4, spread: 0.03, at: 29 }],
  configurations: [
    {
      containers: 4,
      cpus: 0.5,
      instances: 2,
      use: 0.523,
      p99: { value: 34, low: 28, high: 44 },
      memoryBytes: 4 * 100 * 1024 ** 2,
      ...row,
    },
  ],
  ...more,
})

describe('what is handed over', () => {
  const expected = {
    kubernetes: [
      /replicas: 4\b/,
      /cpu: 500m/,
      /memory: 112Mi/,
      /memory: 176Mi/,
      /averageUtilization: 52\b/,
      /minReplicas: 2\n/,
      /maxReplicas: 8\n/,
      /name: my-server\n/,
      /command: \["npx", "threadwise", "serve", "src\/My server\.js", "-i", "2"\]/,
    ],
    compose: [/replicas: 4\n/, /cpus: '0\.5'/, /memory: 176M/, /memory: 112M\n/, /"-i", "2"\]/],
    systemd: [
      /CPUQuota=50%\n/,
      /CPUQuotaPeriodSec=100ms/,
      /MemoryMax=176M/,
      /my-server@\{1\.\.4\}/,
      /ExecStart=\/usr\/bin\/env npx threadwise serve "src\/My server\.js" -i 2\n/,
    ],
  }
  for (const [what, patterns] of Object.entries(expected))
    test(`says resources, numbers, and from what measurement they follow: ${what}`, () => {
      const text = writeHandover(what, resultOf())
      for (const pattern of patterns) assert.match(text, pattern)
      assert.match(
        text,
        /^# Measured by threadwise plan on 2026-11-28, Node\.js v24\.1\.0, 2 CPUs \(Test\):\n# {3}\/report 24\.40 ms of CPU time \(\+-3 %\) at 29 requests\/s on one process\n# Predicted for 600 requests\/s \(poisson\), goal p99 50 ms: a p99 of 34 ms \(28\.\.44\) at a CPU use of 52 %\.\n# Repeat: npx threadwise plan x\n/,
      )
      assert.ok(text.endsWith('\n'))
    })

  for (const what of Object.keys(expected)) {
    test(`starts one process by itself: ${what}`, () => {
      assert.match(writeHandover(what, resultOf({}, { instances: 1 })), /node"?,? "src\/My server\.js"/)
    })

    test(`lets no name end a comment or a string: ${what}`, () => {
      const file = 'a"\nb: $(x) %i.js'
      const text = writeHandover(what, resultOf({ file, command: 'x\n- evil' }))
      assert.doesNotMatch(text, /^- evil|^b:/m)
      if (what === 'systemd') assert.match(text, /\$\$\(x\) %%i/)
    })

    test(`leaves memory out where nobody knows it: ${what}`, () => {
      assert.doesNotMatch(writeHandover(what, resultOf({}, { memoryBytes: null })), /memory/i)
    })
  }
})

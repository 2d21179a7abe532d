// A component of Angular that shows what a pool answers: `ng build` and `ng serve` find the file of the worker by themselves.
import { Component, signal } from '@angular/core'
import { bootstrapApplication } from '@angular/platform-browser'
import { web } from 'threadwise/web'
import type * as Tasks from './sums/tasks'

const pool = web<typeof Tasks>(
  () => new Worker(new URL('./sums/tasks.worker', import.meta.url), { type: 'module' }),
  { name: 'app' },
)

@Component({ selector: 'app-root', template: '<output>{{ shown() }}</output>' })
class App {
  protected readonly shown = signal('')

  constructor() {
    void this.add()
  }

  private async add(): Promise<void> {
    this.shown.set(`${pool.kind} ${await pool.tasks.add(40, 2)} ${await pool.tasks.where()}`)
  }
}

await bootstrapApplication(App)

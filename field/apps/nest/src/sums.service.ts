import { Injectable, type OnApplicationShutdown } from '@nestjs/common'
import { threads } from 'threadwise'
import type * as Tasks from './tasks.js'

@Injectable()
export class SumsService implements OnApplicationShutdown {
  private readonly pool = threads<typeof Tasks>(new URL('./tasks.js', import.meta.url), { name: 'sums' })

  async sum(): Promise<{ sum: number; by: string }> {
    return { sum: await this.pool.tasks.add(40, 2), by: await this.pool.tasks.where() }
  }

  onApplicationShutdown(): Promise<void> {
    return this.pool.close()
  }
}

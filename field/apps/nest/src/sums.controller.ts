import { Controller, Get } from '@nestjs/common'
import { SumsService } from './sums.service.js'

@Controller()
export class SumsController {
  constructor(private readonly sums: SumsService) {}

  @Get('sum')
  sum(): Promise<{ sum: number; by: string }> {
    return this.sums.sum()
  }
}

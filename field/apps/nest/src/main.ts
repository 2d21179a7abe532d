import 'reflect-metadata'
import { Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { SumsController } from './sums.controller.js'
import { SumsService } from './sums.service.js'

@Module({ controllers: [SumsController], providers: [SumsService] })
class AppModule {}

const start = async (): Promise<void> => {
  const app = await NestFactory.create(AppModule)
  app.enableShutdownHooks()
  await app.listen(process.env.PORT ?? 3000)
}
void start()

// Hello world with Express, which is taken from the user's project: its path is in the environment.

import { pathToFileURL } from 'node:url'

interface App {
  get(path: string, answer: (request: unknown, response: { send(text: string): void }) => void): void
  listen(port: number): void
}

const { default: express } = (await import(pathToFileURL(process.env.THREADWISE_LAB_EXPRESS!).href)) as {
  default: () => App
}
const app = express()
app.get('/', (_request, response) => response.send('Hello World!'))
app.listen(Number(process.env.PORT))

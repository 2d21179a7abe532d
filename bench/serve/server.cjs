// The server of bench/serve.mjs: the same file for all.
const { createServer } = require('node:http')

createServer((_, response) => response.end('hello')).listen(Number(process.env.PORT), '127.0.0.1')

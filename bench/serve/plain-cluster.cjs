// Bare node:cluster with two workers of a file, and nothing else.
const cluster = require('node:cluster')

cluster.setupPrimary({ exec: process.argv[2] })
for (let i = 0; i < 2; i++) cluster.fork()

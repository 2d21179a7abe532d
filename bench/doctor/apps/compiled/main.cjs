'use strict'
// What TypeScript makes of an app: interop helpers, a barrel, constants and an enum that are exported, a decorated class.
var __importDefault =
  (this && this.__importDefault) ||
  function (mod) {
    return mod && mod.__esModule ? mod : { default: mod }
  }
var __decorate = function (decorators, target) {
  for (var i = decorators.length - 1; i >= 0; i--) target = decorators[i](target) || target
  return target
}
Object.defineProperty(exports, '__esModule', { value: true })
exports.ReportService = void 0
const node_http_1 = require('node:http')
const lib_1 = require('./lib/index.cjs')
const crunch_1 = __importDefault(require('./lib/crunch.cjs'))
let ReportService = class ReportService {
  factor = 3
  totals(prices) {
    return prices.reduce((sum, price) => sum + (0, lib_1.weigh)(price, lib_1.Kind.Short) * this.factor, 0)
  }
  render({ title }) {
    return `${title} ${(0, lib_1.weigh)(title.length, lib_1.Kind.Long)} ${lib_1.BASE}`
  }
}
exports.ReportService = ReportService
exports.ReportService = ReportService = __decorate([(target) => target], ReportService)
const reports = new ReportService()
;(0, node_http_1.createServer)(async (request, response) => {
  const { moved } = await import('../../moved.mjs')
  const rendered = await (moved.render ?? reports.render)({ title: 'a title' })
  const crunched = await (moved.crunch ?? crunch_1.default)({ seed: 7 })
  response.end(`${reports.totals([1, 2, 3])} ${rendered} ${crunched}`)
}).listen(process.env.PORT)

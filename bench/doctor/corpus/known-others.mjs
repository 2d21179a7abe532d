// Apps with other traps, and with functions that can move though it is not easy to see. See known.mjs.
import { rare } from './rare.mjs'

export default {
  identity: {
    start: 'server.mjs',
    paths: ['/nearest', '/clean', '/search', '/slugged', '/price', '/sealed', '/cents', '/summary'],
    requests: rare('/nearest', '/clean', '/search', '/slugged', '/price', '/sealed', '/cents', '/summary'),
    right: {
      ...{
        nearest: { unless: ['identity'] },
        clean: { unless: ['identity'] },
        search: { unless: ['identity'] },
      },
      ...{
        slugged: { unless: ['identity'] },
        priceOf: { unless: ['identity'] },
        sealed: { unless: ['identity'] },
      },
      ...{ cents: { unless: ['identity'] }, summary: 'move' },
    },
  },
  errors: {
    start: 'server.mjs',
    paths: ['/reserve', '/paid', '/fits', '/allowed', '/parsed', '/limited'],
    requests: rare('/reserve', '/paid', '/fits', '/allowed', '/parsed', '/limited'),
    right: {
      ...{
        reserve: { if: ['error-class'] },
        paid: { if: ['error-class'] },
        fits: { unless: ['identity', 'error-class'] },
      },
      ...{ allowed: { if: ['error-class'] }, parsed: { if: ['error-class'] }, limited: 'move' },
    },
  },
  callers: {
    start: 'server.mjs',
    paths: ['/good', '/sorted', '/masked', '/total', '/json', '/squares', '/page', '/worth', '/doubled'],
    requests: [
      '/good',
      '/sorted',
      '/masked',
      '/total',
      '/json',
      '/squares',
      '/page',
      '/worth',
      '/doubled',
      '/doubles',
    ],
    right: {
      ...{
        isGood: 'cannot',
        weight: 'cannot',
        masked: 'cannot',
        total: 'cannot',
        described: 'cannot',
        square: 'cannot',
      },
      ...{ chart: 'cannot', worth: 'cannot', doubled: 'cannot' },
    },
  },
  parameters: {
    start: 'server.cjs',
    paths: ['/card', '/sums', '/label', '/pair', '/mixed', '/counted', '/keyed', '/none'],
    requests: ['/card', '/sums', '/label', '/pair', '/mixed', '/counted', '/keyed', '/none'],
    right: {
      ...{
        card: 'move',
        sums: 'move',
        label: 'move',
        pair: 'move',
        mixed: 'move',
        counted: 'move',
        keyed: 'move',
        none: 'move',
      },
    },
  },
  shapes: {
    start: 'server.mjs',
    paths: ['/monthly', '/yearly', '/daily', '/gross', '/render', '/table', '/convert'],
    requests: ['/monthly', '/yearly', '/daily', '/gross', '/render', '/table', '/convert'],
    right: {
      monthly: 'move',
      yearly: 'move',
      daily: 'move',
      gross: 'move',
      render: 'move',
      table: 'move',
      default: 'move',
    },
  },
  constants: {
    start: 'server.mjs',
    paths: ['/scaled', '/boxed', '/priced', '/found', '/rendered', '/valid', '/order', '/hashed'],
    requests: rare('/scaled', '/boxed', '/priced', '/found', '/rendered', '/valid', '/order', '/hashed'),
    right: {
      ...{
        scaled: 'move',
        boxed: 'move',
        priced: 'move',
        found: 'move',
        rendered: 'move',
        valid: 'move',
      },
      ...{ parsedOrder: { if: ['error-class'] }, hashed: 'move' },
    },
  },
  time: {
    start: 'server.mjs',
    paths: ['/signed', '/exported', '/named', '/late', '/since', '/guarded', '/day'],
    requests: rare('/signed', '/exported', '/named', '/late', '/since', '/guarded', '/day'),
    right: {
      ...{
        signed: { if: ['time'] },
        exported: { if: ['time'] },
        named: { if: ['time'] },
        late: { if: ['time'] },
      },
      ...{ sinceStart: { unless: ['state'] }, guarded: { if: ['state'] }, dayOf: 'move' },
    },
  },
  names: {
    start: 'server.js',
    paths: ['/capped', '/normed', '/tallied', '/sized', '/taxed', '/filed'],
    requests: ['/capped', '/normed', '/tallied', '/sized', '/taxed', '/filed', '/calls'],
    right: {
      capped: 'cannot',
      normed: 'move',
      tallied: 'cannot',
      sized: 'move',
      taxed: 'move',
      filed: 'move',
    },
  },
  typescript: {
    start: 'server.js',
    paths: ['/weigh', '/scaled', '/totals', '/numbered'],
    requests: rare('/weigh', '/scaled', '/totals', '/numbered'),
    right: { weigh: 'move', scaled: 'move', of: 'move', numbered: 'cannot' },
  },
  'slow-pages': {
    ...{ start: 'server.mjs', rate: null },
    paths: ['/ranking', '/forecast'],
    requests: ['/ranking', '/forecast'],
    ...{ count: 12, right: { ranking: 'move', forecast: 'move' } },
  },
  background: {
    start: 'server.mjs',
    paths: ['/'],
    requests: ['/'],
    right: { refreshed: 'move', handled: 'move', lineOf: 'move' },
    count: 1,
  },
  'package-time': {
    ...{ start: 'server.mjs', method: 'POST', headers: { 'content-type': 'application/json' } },
    body: JSON.stringify(
      Array.from({ length: 20_000 }, (_, id) => ({ id, name: `name ${id}`, tags: ['a', 'b'] })),
    ),
    paths: ['/import'],
    requests: ['/import'],
    ...{ count: 1, right: {}, packages: ['body-parser'] },
  },
  'express-app': {
    start: 'server.mjs',
    paths: ['/list', '/one', '/view'],
    requests: rare('/list', '/one', '/view'),
    right: { listed: 'move', one: { if: ['error-class'] }, tagOf: 'cannot', view: 'cannot' },
  },
  'fastify-app': {
    start: 'server.mjs',
    paths: ['/report', '/totals', '/id'],
    requests: ['/report', '/totals', '/id'],
    right: { report: 'move', idOf: 'cannot', totals: 'move' },
  },
  async: {
    start: 'server.mjs',
    paths: ['/report', '/shared', '/chained', '/pages', '/checked', '/paused'],
    requests: rare('/report', '/shared', '/chained', '/pages', '/checked', '/paused'),
    right: {
      report: 'move',
      shared: 'cannot',
      chained: 'move',
      pages: 'cannot',
      checked: 'move',
      paused: 'cannot',
    },
  },
  recursion: {
    start: 'server.mjs',
    paths: ['/fib', '/parity', '/depth', '/merged', '/cached'],
    requests: rare('/fib', '/parity', '/depth', '/merged', '/cached'),
    right: { slowFib: 'move', parity: 'move', depth: 'move', merged: 'move', cached: 'cannot' },
  },
  arguments: {
    start: 'server.mjs',
    paths: ['/total', '/shown', '/walked', '/updated', '/sorted', '/ordered'],
    requests: rare('/total', '/shown', '/walked', '/updated', '/sorted', '/ordered'),
    right: {
      ...{
        totalOf: { unless: ['identity'] },
        shown: { unless: ['identity'] },
        walked: { unless: ['identity'] },
      },
      ...{ updated: { unless: ['identity'] }, sorted: 'move', ordered: { unless: ['identity'] } },
    },
  },
  nameless: {
    start: 'server.mjs',
    paths: ['/anonymous', '/list', '/mapped'],
    requests: ['/anonymous', '/list', '/mapped'],
    right: { '/anonymous': 'move', '/list|spinning./list': 'move', '/mapped': 'move' },
  },
}

// What doctor must say of each function of the corpus.
//
//   'move'               it can move. Who has to await it is told; another condition would be needless
//   { if: [...] }        it can move where these conditions hold, which have to be named
//   { unless: [...] }    moved as the app is, its answers change: no `move`, or one that names a condition of one of these kinds
//   'cannot'             no `move`, whatever is named
//
// `paths` are what doctor asks for. `requests` are what the original and the moved app have to answer in the same way, with a number `n` of
// each request beside: rare ones too, of which doctor saw none.

const rare = (...paths) => paths.flatMap((path) => [path, path, `${path}?rare=1`])
const urgent = (...paths) => paths.flatMap((path) => [path, path, `${path}?urgent=1`])

/** @type {Record<string, { start: string, paths: string[], requests: string[], right: Record<string, unknown> }>} */
export const known = {
  'set-up': {
    start: 'server.mjs',
    paths: ['/gross', '/discounted', '/format', '/score', '/fee', '/label'],
    requests: [
      '/gross?country=AT',
      '/gross',
      '/discounted?tier=gold',
      '/tiers?gold=0.5',
      '/format?kind=html',
      '/score?gold=1',
      '/fee',
      '/fees?fee=9',
      '/label?key=b',
    ],
    right: {
      ...{
        gross: { unless: ['state'] },
        discounted: { unless: ['state'] },
        format: { unless: ['state'] },
        score: { unless: ['state'] },
      },
      ...{ withFee: { unless: ['state'] }, label: 'move' },
    },
  },
  'own-state': {
    start: 'server.mjs',
    paths: ['/ticket', '/quota', '/token', '/matches', '/used', '/rated', '/counted', '/plain'],
    requests: urgent('/ticket', '/quota', '/token', '/matches', '/used', '/rated', '/counted', '/plain'),
    right: {
      ...{
        ticket: 'cannot',
        quota: 'cannot',
        token: 'cannot',
        matches: 'cannot',
        used: 'cannot',
        rated: 'cannot',
        counted: 'cannot',
      },
      plain: 'move',
    },
  },
  aliases: {
    start: 'server.mjs',
    paths: ['/byHelper', '/byPattern', '/bySymbol', '/byEntries', '/byReflect', '/byCallback', '/byName'],
    requests: urgent(
      '/byHelper',
      '/byPattern',
      '/bySymbol',
      '/byEntries',
      '/byReflect',
      '/byCallback',
      '/byName',
    ),
    right: {
      ...{
        byHelper: 'cannot',
        byPattern: 'cannot',
        bySymbol: 'cannot',
        byEntries: 'cannot',
        byReflect: 'cannot',
      },
      ...{ byCallback: { unless: ['identity'] }, byName: 'move' },
    },
  },
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
        valid: { if: ['state'] },
      },
      ...{ parsedOrder: { if: ['error-class'] }, hashed: 'move' },
    },
  },
  'package-state': {
    start: 'server.mjs',
    paths: ['/post', '/measured', '/price', '/looked', '/own'],
    requests: [...urgent('/post', '/measured', '/price', '/looked', '/own'), '/meters'],
    right: {
      ...{
        post: { unless: ['package-setup'] },
        measured: { unless: ['package-setup', 'state'] },
        price: { unless: ['state'] },
      },
      ...{ looked: { unless: ['state', 'package-setup'] }, own: 'move' },
    },
  },
  'built-ins': {
    start: 'server.mjs',
    paths: ['/written', '/keys', '/replaced', '/summed'],
    requests: rare('/written', '/keys', '/replaced', '/summed'),
    right: {
      written: { unless: ['state'] },
      keysOf: { unless: ['state'] },
      replaced: { unless: ['state'] },
      summed: 'move',
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
  plugins: {
    start: 'server.mjs',
    paths: ['/piped', '/ruled', '/filtered', '/bare'],
    requests: rare('/piped', '/ruled', '/filtered', '/bare'),
    right: {
      piped: { unless: ['state'] },
      ruled: { unless: ['state'] },
      filtered: { unless: ['state'] },
      bare: 'move',
    },
  },
  env: {
    start: 'server.mjs',
    paths: ['/mode', '/flagged', '/title', '/local'],
    requests: ['/mode', '/flagged', '/flag', '/title', '/local'],
    right: {
      mode: { unless: ['state'] },
      flagged: { unless: ['state'] },
      globalTitle: { unless: ['state'] },
      local: 'move',
    },
  },
  classes: {
    start: 'server.mjs',
    paths: ['/offered', '/squared', '/areas', '/gross', '/ids', '/report'],
    requests: [...rare('/offered', '/squared', '/areas', '/gross', '/ids', '/report'), '/change?price=9'],
    right: {
      offered: { unless: ['state'] },
      squared: { unless: ['state'] },
      areas: 'move',
      of: 'cannot',
      Report: 'cannot',
    },
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
  commonjs: {
    start: 'server.js',
    paths: ['/gross', '/page', '/steady', '/own'],
    requests: [...rare('/gross', '/page', '/steady', '/own'), '/rate?rate=0.3', '/titles'],
    right: { gross: { unless: ['state'] }, page: { unless: ['state'] }, steady: 'move', own: 'cannot' },
  },
  'other-files': {
    start: 'server.mjs',
    paths: ['/priced', '/shown', '/allowed', '/size'],
    requests: [
      '/priced',
      '/shown',
      '/allowed?rare=bad',
      '/size',
      '/admin?act=price&sku=a&price=9',
      '/admin?act=currency&to=USD',
      '/admin?act=block&word=bad',
    ],
    right: {
      priced: { unless: ['state'] },
      shown: { unless: ['state'] },
      isAllowed: { unless: ['state'] },
      sizeOf: 'move',
    },
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
    right: { '/anonymous': 'move', '/list': 'move', '/mapped|routes': 'move' },
  },
  getters: {
    start: 'server.mjs',
    paths: ['/capped', '/numbered', '/moded', '/sized', '/titled'],
    requests: [...urgent('/capped', '/numbered', '/moded', '/sized', '/titled'), '/mode?mode=dark'],
    right: {
      capped: 'move',
      numbered: 'cannot',
      moded: { unless: ['state'] },
      sized: 'move',
      titled: 'move',
    },
  },
  closures: {
    start: 'server.mjs',
    paths: ['/boxed', '/price', '/cleaned', '/squared', '/labelled'],
    requests: rare('/boxed', '/price', '/cleaned', '/squared', '/labelled'),
    right: {
      boxed: 'move',
      priceOf: { unless: [] },
      cleaned: 'move',
      squared: { unless: ['state'] },
      labelled: 'cannot',
    },
  },
  waiting: {
    start: 'server.mjs',
    paths: ['/added', '/looked', '/strict', '/calm'],
    requests: rare('/added', '/looked', '/strict', '/calm'),
    right: { added: { unless: ['state'] }, looked: { unless: ['state'] }, strict: 'move', calm: 'move' },
  },
  buffers: {
    start: 'server.mjs',
    paths: ['/viewed', '/copied', '/listed', '/mapped', '/packed'],
    requests: urgent('/viewed', '/copied', '/listed', '/mapped', '/packed'),
    right: {
      viewed: 'cannot',
      copied: 'cannot',
      listed: { unless: ['identity'] },
      mapped: 'move',
      packed: 'move',
    },
  },
  late: {
    start: 'server.mjs',
    paths: ['/scaled', '/plain'],
    requests: ['/scaled', '/plain', '/imperial'],
    right: { scaled: { unless: ['state'] }, plain: 'move' },
  },
}

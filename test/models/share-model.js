// A model of how calls that wait on promises are shared out (fair-share.ts, queue-server.ts, waking.ts): who takes which call, who leaves it
// to whom, and what ends that. What a worker reads of others is one step each; to take a call is one step, as queue-model.js shows that it
// may be.
//
//   main     put, announce (STATEs, LOADS: those without calls first, then those in which the fewest wait), look by itself (all)
//   worker   look (calls, LOADS of the others), take, run, tell (LOADS); rest (STATE), look, leave (timer); promises that go on, messages
//
// `kinds` of calls:
//   'short'    gives a value at once, and is known to
//   'waits'    gives a promise, which settles when all calls have begun: calls that need each other
//   'blocks'   keeps its thread until all calls have begun
//   'turns'    gives a promise, goes on once and keeps its thread then until all calls have begun
//
// `put`: calls that are there at the start, `awake`: workers that look for some. `held`: calls whose promises are open in each worker at the start; those of 'turning' workers are about to go on like 'turns'. Without `timers`
// no worker looks again at what it has left, without `looks` main does not look by itself: what holds without them rests on no time. `flaws`
// leave out one step each: the model must notice.

const AWAKE = 'awake'
const LOOP = 'loop'
const OCCUPIED = 'occupied'
const OLD = -1
/** Of a worker that does not count just now whether it has its share. `isFreeSince`: who was free when it began. */
const NOT_LOOKING = { calls: 0, takers: 0, isFreeSince: 0 }

export function shareModel(system) {
  const { kinds, workers = 2, held = [], turning = [], most = 1024, deaths = 0, flaws = [] } = system
  const { timers = true, looks = true, awake = [], put = 0 } = system
  const has = (flaw) => flaws.includes(flaw)
  const start = {
    tail: put,
    head: 0,
    begun: kinds.map(() => 0),
    settled: kinds.map(() => 0),
    deaths,
    main: { pc: 'idle', needed: 0, worker: 0, tried: 0 },
    w: Array.from({ length: workers }, (_, i) => {
      const waiting = Array(held[i] ?? 0).fill(OLD)
      const isAwake = awake.includes(i)
      const load = waiting.length < most ? waiting.length + 1 : 0
      const state = isAwake ? AWAKE : load > 0 ? LOOP : OCCUPIED
      const own = { waiting, load, state, turns: turning.includes(i), messages: 0, call: OLD }
      const left = { isTimed: false, leftAt: -1, isOverdue: false }
      return { pc: isAwake ? 'take' : 'loop', ...own, ...left, ...NOT_LOOKING, isDead: false }
    }),
  }
  const machines = [mainSteps]
  for (let i = 0; i < workers; i++) machines.push((s) => workerSteps(s, i))
  return { start, machines }

  function copyOf(s) {
    const next = { ...s }
    next.begun = s.begun.slice()
    next.settled = s.settled.slice()
    next.main = { ...s.main }
    next.w = s.w.map((w) => ({ ...w, waiting: w.waiting.slice() }))
    return next
  }

  function go(s, change) {
    const next = copyOf(s)
    change(next)
    return next
  }

  // Main.

  function mainSteps(s) {
    const to = (pc, change = () => {}) => go(s, (n) => ((n.main.pc = pc), change(n)))
    const { pc, worker } = s.main
    const steps = []
    if (pc === 'idle') {
      if (s.tail < kinds.length) steps.push(to('announce', (n) => n.tail++))
      if (looks && s.head < s.tail && s.w.some(isAsleep)) steps.push(to('idle', (n) => n.w.forEach(wake)))
      const dead = s.w.findIndex(({ isDead, load }) => isDead && load >= 0)
      if (dead >= 0) steps.push(to('announce', (n) => (n.w[dead].load = -1))) // its word is 0; nobody has that number
      return steps
    }
    if (pc === 'announce')
      return [to('wake free', (n) => Object.assign(n.main, { needed: n.tail - n.head, worker: 0, tried: 0 }))]
    if (pc === 'wake free') {
      if (s.main.needed <= 0) return [to('wake least')]
      if (worker === workers) return [to('wake least')]
      return [to('wake free', wakeIfFree)]
    }
    const sleepers = s.main.needed > 0 ? s.w.filter((w, i) => mayBeLeast(s, w, i)) : []
    if (sleepers.length === 0)
      return [to('idle', (n) => Object.assign(n.main, { needed: 0, worker: 0, tried: 0 }))]
    return [to('wake least', wakeLeast)]
  }

  /** Whoever holds no call by now looks at the queue itself, after it has said so. */
  function mayBeLeast(s, w, i) {
    return isAsleep(w) && w.load !== 1 && !(s.main.tried & (1 << i))
  }

  /** What main knows of the calls in a worker may be old: whoever holds none is woken here or, if it seems to, in the next round. */
  function wakeIfFree(n) {
    const w = n.w[n.main.worker++]
    if (isAsleep(w) && w.load === 1) {
      wake(w)
      n.main.needed--
    }
  }

  function wakeLeast(n) {
    const load = ({ load }) => (load > 0 ? load - 1 : Infinity)
    const sleepers = n.w.filter((w, i) => mayBeLeast(n, w, i))
    const least = sleepers.reduce((best, w) => (load(w) < load(best) ? w : best))
    wake(least)
    n.main.tried |= 1 << n.w.indexOf(least)
    n.main.needed--
  }

  /** As main sees it, which does not know at once that one has died. */
  function isAsleep({ state, load }) {
    return load >= 0 && state === LOOP
  }

  /** compareExchange; a message brings the event loop to it. */
  function wake(w) {
    if (!isAsleep(w)) return
    w.state = AWAKE
    w.messages++
  }

  // A worker.

  function workerSteps(s, i) {
    const w = s.w[i]
    if (w.isDead) return []
    const to = (pc, change = () => {}) => go(s, (n) => ((n.w[i].pc = pc), change(n.w[i], n)))
    const steps = stepsOf(s, i, to)
    // It may die wherever it holds no call that would die with it: what becomes of those is the pool's affair.
    if (s.deaths > 0 && w.waiting.length === 0 && w.call < 0)
      steps.push(go(s, (n) => ((n.w[i].isDead = true), n.deaths--)))
    return steps
  }

  function stepsOf(s, i, to) {
    const w = s.w[i]
    switch (w.pc) {
      // mayTake(): with what follows a yes and a no.
      case 'take':
        return mayTake(s, i, to, { yes: 'claim', no: 'dry' })
      case 'claim':
        if (s.head === s.tail) return [to('dry', (me) => (me.isFreeSince = 0))]
        return [to(kinds[s.head] === 'short' ? 'run' : 'say busy', claim)]
      case 'say busy':
        return [to('run', (me) => (me.load = 0))]
      case 'run':
        return run(s, w, to)
      case 'tell': // then a turn of the event loop may be due, in which promises go on
        return [to('take', tell), to('turn', tell)]
      case 'turn':
        return [to('serving'), ...promiseSteps(w, 'turn', to, s)]
      case 'answer': // of a call that has returned a value: told before main can see it
        return [to('take', (me, n) => (tell(me), settle(me, n)))]
      // rest()
      case 'dry':
        return [to('rest', tell)]
      case 'rest':
        return [to('look', (me) => (me.state = isFull(me) ? OCCUPIED : LOOP))]
      case 'look':
        return isFull(w) ? [to('loop')] : mayTake(s, i, to, { yes: 'look for calls', no: 'leave' })
      case 'look for calls':
        if (s.head === s.tail) return [to('leave')]
        return [to('take', (me) => me.state === LOOP && (me.state = AWAKE))]
      case 'leave':
        return [to('loop', leave)]
      case 'loop':
        return loopSteps(s, i, to)
      case 'turning loop': // a promise goes on, and keeps the thread
        return haveBegun(s) ? [to('settled', settleOne)] : []
      case 'turning turn':
        return haveBegun(s) ? [to('turn', settleOne)] : []
      // afterTurn()
      case 'settled':
        return [to('take again', tell)]
      case 'take again':
        return [to('after', (me) => me.state === OCCUPIED && !isFull(me) && (me.state = LOOP))]
      case 'after':
        return isFull(w) ? [to('loop')] : mayTake(s, i, to, { yes: 'serve if calls', no: 'loop' })
      case 'serve if calls':
        return s.head === s.tail ? [to('loop')] : [to('serve')]
      case 'serve':
        return [to('serving', (me) => (me.state = AWAKE))]
      case 'serving':
        return [to('take', tell)]
      case 'timer':
        return mayTake(s, i, to, { yes: 'timer looks', no: 'timer ends' })
      case 'timer looks':
        return s.head === s.tail ? [to('timer ends')] : [to('serve')]
      case 'timer ends': // what it has left is still there: it looks again
        return [
          to('loop', (me, n) => ((me.isOverdue = false), has('a timer is not set again') || leave(me, n))),
        ]
      default:
        return mayTakeSteps(s, i, to)
    }
  }

  function mayTake(s, i, to, { yes, no }) {
    const w = s.w[i]
    if (isFull(w)) return [to(no)]
    if (w.waiting.length === 0 || w.isOverdue) return [to(yes)]
    const change = (me, n) => {
      Object.assign(me, { calls: me.waiting.length + n.tail - n.head, takers: 1, isFreeSince: freeNow(n, i) })
    }
    return [to(`loads 0 ${yes}/${no}`, change)]
  }

  /** Reads the words of the others, one after the other. */
  function mayTakeSteps(s, i, to) {
    const [, at, yes, no] = /^loads (\d+) (.*)\/(.*)$/.exec(s.w[i].pc)
    const other = Number(at)
    if (other === workers) {
      const { calls, takers, waiting } = s.w[i]
      const mayTakeIt = has('no share') || waiting.length < Math.ceil(calls / takers)
      const isFreeSince = yes === 'claim' && mayTakeIt ? s.w[i].isFreeSince : 0
      return [to(mayTakeIt ? yes : no, (me) => Object.assign(me, NOT_LOOKING, { isFreeSince }))]
    }
    return [
      to(`loads ${other + 1} ${yes}/${no}`, (me, n) => {
        const { load } = n.w[other]
        if (other === i || load <= 0) return
        me.takers++
        me.calls += load - 1
      }),
    ]
  }

  function claim(me, n) {
    // Whoever was free before this worker began to look, and is free still, takes one of those that are there.
    if (me.waiting.length > 0 && !me.isOverdue) {
      const free = n.w.filter((w, j) => me.isFreeSince & (1 << j) && isFree(w)).length
      if (free >= n.tail - n.head) n.main.pc = 'wrong: a second call is taken although a free worker is there'
    }
    me.isOverdue = false
    me.isFreeSince = 0
    me.call = n.head++
  }

  function run(s, w, to) {
    const kind = kinds[w.call]
    const begin = (me, n) => (n.begun[me.call] = 1)
    if (kind === 'short') return [to('take', (me, n) => (begin(me, n), settle(me, n)))]
    if (kind === 'blocks') {
      if (s.begun[w.call] === 0) return [to('run', begin)]
      return haveBegun(s) ? [to('answer')] : []
    }
    return [
      to('tell', (me, n) => {
        begin(me, n)
        me.waiting.push(me.call)
        me.call = OLD
      }),
    ]
  }

  function settle(me, n) {
    n.settled[me.call]++
    me.call = OLD
  }

  function settleOne(me, n) {
    me.turns = false
    const call = me.waiting.shift()
    if (call !== OLD) n.settled[call]++
    tell(me)
  }

  function tell(me) {
    me.load = isFull(me) ? 0 : me.waiting.length + 1
  }

  function leave(me, n) {
    if (me.waiting.length === 0 || n.head === n.tail || me.isTimed || !timers || isFull(me)) return
    me.isTimed = true
    me.leftAt = n.head
  }

  function loopSteps(s, i, to) {
    const w = s.w[i]
    const steps = []
    if (w.messages > 0) steps.push(to('serve', (me) => me.messages--))
    steps.push(...promiseSteps(w, 'loop', to, s))
    if (w.isTimed) {
      const isUntouched = s.head === w.leftAt
      // While another worker is free it may look again for YIELD_TO_FREE_MS; that is over at any time.
      steps.push(
        to('timer', (me) => {
          me.isTimed = false
          me.leftAt = -1
          me.isOverdue = isUntouched && !has('nothing is overdue')
        }),
      )
    }
    return steps
  }

  function promiseSteps({ waiting, turns }, where, to, s) {
    if (waiting.length === 0) return []
    if (turns || kinds[waiting[0]] === 'turns') return [to(`turning ${where}`)]
    return haveBegun(s) ? [to(where === 'loop' ? 'settled' : 'turn', settleOne)] : []
  }

  function isFull({ waiting }) {
    return waiting.length >= most
  }

  function haveBegun({ begun }) {
    return begun.every((count) => count > 0)
  }

  /** It has nothing to do, and would take a call. */
  function isFree({ pc, waiting, call, isDead }) {
    return !isDead && waiting.length === 0 && call < 0 && ['loop', 'take', 'dry', 'rest', 'look'].includes(pc)
  }

  function freeNow({ w }, except) {
    return w.reduce((bits, other, j) => (j !== except && isFree(other) ? bits | (1 << j) : bits), 0)
  }
}

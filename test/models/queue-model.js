// A model of the shared queue: every atomic access of src/runtime/shared-memory is one step here, in the same order.
//
//   main     offer (slot, TAIL), announce (HEAD, STATEs, wake), poll (rings), fall asleep (MAIN, rings), exits of workers
//   worker   take (HEAD, TAIL, slot, HEAD), run, reply (ring), wake main (MAIN), spin (SPINNER, STATE), futex, event loop
//
// Timeouts are left out on purpose: what is shown must hold without them. A worker may die between any two of its steps;
// then main learns of it some time later, and starts another in its place. With `starts` workers are not up at the beginning: each
// posts that it is before it takes a call, and main reads no ring before it has read that. `flaws` leave out one step of the
// protocol each: the model must notice.
//
// With `cpus` main wakes no more workers than that for short calls (waking.ts). `kinds` says of each call whether it is 'short', 'blocks' its
// thread, or 'waits' on a promise; the last two end once all others have run, and are known not to be short. A worker holds one that waits.
// Without `futex` workers sleep in their event loops only.

const AWAKE = 'awake'
const FUTEX = 'futex'
const LOOP = 'loop'
const SPINNING = 'spinning'
const OCCUPIED = 'occupied'

export function queueModel(system = {}) {
  const { workers = 2, tasks = 2, deaths = 0, spins = true, starts = false, flaws = [] } = system
  const { cpus, kinds = Array(tasks).fill('short'), futex = true } = system
  const has = (flaw) => flaws.includes(flaw)
  const start = {
    head: 0,
    tail: 0,
    put: 0, // slots written; TAIL follows
    slots: Array(tasks * 2).fill('-'), // by position; a call that goes again gets a new one
    taskAt: [],
    spinner: -1,
    mainState: AWAKE,
    mainMessages: 0,
    holdsBack: false, // HOLDS_BACK; main knows it without looking
    main: {
      pc: 'idle',
      worker: 0,
      needed: 0,
      wanted: 0,
      takers: 0,
      offered: 0,
      again: [],
      isGoingToSleep: false,
    },
    deaths,
    settled: Array(tasks).fill(0),
    ran: Array(tasks).fill(0),
    w: Array.from({ length: workers }, () => worker()),
  }
  const machines = [(s) => mainSteps(s)]
  for (let i = 0; i < workers; i++) machines.push((s) => workerSteps(s, i))
  return { start, machines }

  function worker() {
    return {
      pc: starts ? 'start' : 'take',
      isUp: !starts, // as main knows
      hasSaidSo: false,
      state: AWAKE,
      at: -1,
      current: -1,
      hasSince: false,
      isToRest: false, // TO_REST
      promise: -1, // the call that waits
      ring: [],
      messages: 0,
      isDead: false,
    }
  }

  /** By assignment after the spread: `{ ...s, slots }` takes three times as long. */
  function copyOf(s) {
    const next = { ...s }
    next.slots = s.slots.slice()
    next.taskAt = s.taskAt.slice()
    next.settled = s.settled.slice()
    next.ran = s.ran.slice()
    next.main = { ...s.main }
    next.main.again = s.main.again.slice()
    next.w = s.w.map(copyOfWorker)
    return next
  }

  function copyOfWorker(w) {
    const next = { ...w }
    next.ring = w.ring.slice()
    return next
  }

  /** A copy of the state, changed. */
  function go(s, change) {
    const next = copyOf(s)
    change(next)
    return next
  }

  /** That this worker may take: hasWork(). */
  function mayHaveWork(s, w) {
    return mayHaveCall(s) && !w.isToRest
  }

  /** Perhaps only one that another worker has just claimed, or that was withdrawn: to take it then moves HEAD. */
  function mayHaveCall(s) {
    return s.head !== s.tail
  }

  function mainSteps(s) {
    const to = (pc, change = () => {}) =>
      go(s, (n) => {
        n.main.pc = pc
        change(n)
      })
    const { main } = s
    const dead = s.w.findIndex((w) => w.isDead)
    const isAtRest = main.pc === 'idle' || main.pc === 'asleep'
    const came = s.w.findIndex(({ hasSaidSo, isUp }) => hasSaidSo && !isUp)
    const steps = []
    if (isAtRest && came >= 0)
      steps.push(
        has('main does not look when a worker is up')
          ? to(main.pc, (n) => (n.w[came].isUp = true))
          : to('poll', (n) => ((n.w[came].isUp = true), (n.mainState = AWAKE))),
      )
    if (isAtRest && dead >= 0) steps.push(to('announce', (n) => onExit(n, dead)))
    if (isAtRest && main.again.length > 0) steps.push(to('publish', (n) => putTask(n, n.main.again.shift())))
    if (isAtRest && main.offered < tasks) steps.push(to('publish', (n) => putTask(n, n.main.offered++)))
    if (isAtRest && s.mainMessages > 0)
      steps.push(to('poll', (n) => (n.mainMessages--, (n.mainState = AWAKE)))) // wake()
    switch (main.pc) {
      case 'publish':
        return [to('announce', (n) => (n.tail = n.put))]
      case 'announce': // #announce: how many calls need a worker that sleeps
        if (cpus !== undefined) return [to('go on', (n) => ((n.holdsBack = true), countNeeded(n)))]
        return [to('count', (n) => ((n.main.needed = s.tail - s.head), (n.main.worker = 0)))]
      case 'go on':
        return [goOn(s, to)]
      case 'count takers':
        return [to('go on', countTaker)]
      case 'count':
        return [countSpinners(s, to)]
      case 'wake':
        return wakeOne(s, to)
      case 'poll': // #poll: reads all rings
        return [to(s.w.some(hasReplies) ? 'poll' : 'fall asleep', drain)]
      case 'fall asleep':
        if (s.holdsBack && !has('main does not count anew before it sleeps'))
          return [to('announce', (n) => ((n.mainState = 'asleep'), (n.main.isGoingToSleep = true)))]
        return [to('look again', (n) => (n.mainState = 'asleep'))]
      case 'look again':
        if (!has('main does not look again') && s.w.some(hasReplies))
          return [to('poll', (n) => (n.mainState = AWAKE))] // compareExchange; a worker that was faster has sent a message
        return [to('asleep')]
    }
    return steps
  }

  /** WakeLimit.needed: for each call that is not short a worker, and for the short ones as many as there are CPUs. */
  function countNeeded(n) {
    const others = n.taskAt.slice(n.head, n.tail).filter((task) => kinds[task] !== 'short').length
    n.main.needed = others
    n.main.wanted = Math.min(n.tail - n.head - others, cpus)
    n.main.takers = 0
    n.main.worker = 0
  }

  /** Before it counts on a worker, since that may be about to sleep. */
  function goOn(s, to) {
    const { worker, needed, wanted, takers } = s.main
    if (worker < s.w.length)
      return to('count takers', (n) => {
        const isNeeded = takers < wanted || needed > 0
        if (isNeeded && !has('main does not let it go on')) n.w[worker].isToRest = false
      })
    return to(spins ? 'count' : 'wake', (n) => {
      n.main.needed = needed + Math.max(0, wanted - takers)
      n.holdsBack = n.main.needed < n.tail - n.head
      Object.assign(n.main, { worker: 0, wanted: 0, takers: 0 })
    })
  }

  function countTaker(n) {
    const w = n.w[n.main.worker++]
    if (!w.isUp || w.state !== AWAKE || w.hasSince) return
    if (++n.main.takers > cpus && n.main.needed === 0) w.isToRest = true
  }

  function countSpinners(s, to) {
    const { worker } = s.main
    if (worker === s.w.length) return to('wake', (n) => (n.main.worker = 0))
    return to('count', (n) => {
      if (n.w[worker].state === SPINNING) n.main.needed--
      n.main.worker++
    })
  }

  function wakeOne(s, to) {
    const { worker, needed } = s.main
    if (needed <= 0 || worker === s.w.length) {
      const forget = (n) => Object.assign(n.main, { worker: 0, needed: 0, isGoingToSleep: false })
      if (s.main.isGoingToSleep) return [to('look again', forget)]
      return [to('poll', forget), to('fall asleep', forget)]
    }
    const { state, isToRest } = s.w[worker]
    const isAsleep = state === FUTEX || state === LOOP
    if (isAsleep && isToRest) return [to('wake', (n) => (n.w[worker].isToRest = false))]
    const wake = to('wake', (n) => {
      const sleeper = n.w[worker]
      n.main.worker++
      if (isAsleep) {
        if (sleeper.state === LOOP) sleeper.messages++
        sleeper.state = AWAKE // compareExchange; notify finds it in the futex, or about to see another value there
        n.main.needed--
      }
    })
    return [wake]
  }

  function putTask(n, task) {
    n.slots[n.put] = 'full'
    n.taskAt[n.put] = task
    n.put++
  }

  /** As main sees it. */
  function hasReplies(w) {
    return w.isUp && w.ring.length > 0
  }

  function drain(n) {
    for (const w of n.w) if (w.isUp) readRing(n, w)
  }

  function readRing(n, w) {
    for (const task of w.ring.splice(0)) n.settled[task]++
  }

  /** removeWorker(): reads the last replies, frees the slots that the worker had claimed, and starts another. */
  function onExit(n, index) {
    const w = n.w[index]
    readRing(n, w)
    n.slots.forEach((slot, position) => {
      if (slot !== `claimed ${index}`) return
      n.slots[position] = 'done'
      const task = n.taskAt[position]
      if (w.current === task)
        n.settled[task]++ // it may have started: rejected
      else n.main.again.push(task)
    })
    const isListed = n.main.again.includes(w.current)
    if (w.current >= 0 && n.settled[w.current] === 0 && !isListed) n.settled[w.current]++ // rejected
    if (n.spinner === index && !has('a dead spinner stays')) n.spinner = -1
    n.mainState = AWAKE
    n.w[index] = worker()
  }

  function workerSteps(s, i) {
    const w = s.w[i]
    if (w.isDead) return []
    const to = (pc, change = () => {}) =>
      go(s, (n) => {
        n.w[i].pc = pc
        change(n, n.w[i])
      })
    const steps = taskSteps(s, i, to) ?? sleepSteps(s, i, to)
    if (s.deaths > 0) steps.push(go(s, (n) => ((n.w[i].isDead = true), n.deaths--)))
    return steps
  }

  function taskSteps(s, i, to) {
    const w = s.w[i]
    switch (w.pc) {
      case 'start':
        return [to('take', (n, me) => (me.hasSaidSo = true))]
      case 'take':
        return s.head === s.tail || w.isToRest ? [to('dry')] : [to('claim', (n, me) => (me.at = s.head))]
      case 'claim': // compareExchange on the slot
        if (s.slots[w.at] === 'full') return [to('step', (n) => (n.slots[w.at] = `claimed ${i}`))]
        return [to('take', (n) => n.head === w.at && n.head++)]
      case 'step': // compareExchange on HEAD
        return [to('name', (n) => n.head === w.at && n.head++)]
      case 'name': // only main reads these words, and only after a death
        if (s.deaths === 0)
          return [
            to(kinds[s.taskAt[w.at]] === 'short' ? 'reply' : 'say so', (n, me) => {
              me.current = n.taskAt[w.at]
              n.slots[w.at] = 'done'
              if (kinds[me.current] === 'short')
                [me.hasSince, n.ran[me.current]] = [false, n.ran[me.current] + 1]
            }),
          ]
        return [to('free', (n, me) => (me.current = n.taskAt[w.at]))]
      case 'free':
        return [to('run', (n) => (n.slots[w.at] = 'done'))]
      case 'run':
        return [to('reply', (n, me) => n.ran[me.current]++)]
      case 'say so': // SINCE; then handOver()
        return [
          to(
            has('a worker at a long call does not hand over') ? 'long' : 'hand over',
            (n, me) => (me.hasSince = true),
          ),
        ]
      case 'hand over':
        return [to(mayHaveCall(s) && s.holdsBack ? 'hand over now' : 'long')]
      case 'hand over now':
        return [to('long', (n) => wakeMain(n))]
      case 'long':
        if (kinds[w.current] === 'waits')
          return [to('dry', (n, me) => ((me.promise = me.current), n.ran[me.current]++))]
        return haveOthersRun(s, w.current) ? [to('reply', (n, me) => n.ran[me.current]++)] : []
      case 'reply': // the end of the ring; then wakeMain(hasMore), which may put it off
        return (cpus === undefined ? ['wake main', 'take late'] : ['wake main']).map((pc) =>
          to(pc, (n, me) => {
            me.ring.push(me.current)
            if (n.deaths === 0) me.current = me.at = -1 // nobody will ask
          }),
        )
      case 'take late':
        return [to('take')]
      case 'wake main':
        return [to('take', (n) => wakeMain(n))]
      case 'dry':
        return [to('rest', (n) => !has('a dry worker does not wake main') && wakeMain(n))]
    }
    return undefined
  }

  function wakeMain(n) {
    if (n.mainState !== 'asleep') return
    n.mainState = AWAKE
    n.mainMessages++
  }

  function haveOthersRun({ ran }, task) {
    return ran.every((count, other) => count > 0 || other === task)
  }

  /** Either way of sleeping may come first: which one it is depends on what the worker did before. */
  function sleep(to, w) {
    if (w.promise >= 0) return [to('occupied look', (n, me) => (me.state = OCCUPIED))]
    const inLoop = to('loop look', (n, me) => (me.state = LOOP))
    return futex ? [to('futex look', (n, me) => (me.state = FUTEX)), inLoop] : [inLoop]
  }

  function sleepSteps(s, i, to) {
    const w = s.w[i]
    switch (w.pc) {
      case 'rest':
        if (w.hasSince) return [to('rest', (n, me) => (me.hasSince = false))]
        if (spins && s.spinner === -1 && w.promise < 0)
          return [to('spinning', (n, me) => ((n.spinner = i), (me.state = SPINNING))), ...sleep(to, w)]
        return sleep(to, w)
      case 'spinning': // ends when it finds a call, or when its time is over
        return [
          to(mayHaveWork(s, w) ? 'take' : 'spun look', (n, me) => ((me.state = AWAKE), (n.spinner = -1))),
        ]
      case 'spun look':
        return mayHaveWork(s, w) ? [to('take')] : sleep(to, w)
      case 'futex look':
        if (!has('a worker does not look before the futex') && mayHaveWork(s, w))
          return [to('take', (n, me) => me.state === FUTEX && (me.state = AWAKE))]
        return [to('futex')]
      case 'futex': // Atomics.wait: sleeps while the word says so
        return w.state === FUTEX ? [] : [to('take')]
      case 'loop look':
        if (!has('a worker does not look before the event loop') && mayHaveWork(s, w))
          return [to('take', (n, me) => me.state === LOOP && (me.state = AWAKE))]
        return [to('loop')]
      case 'occupied look':
        if (has('an occupied worker does not hand over') || !mayHaveCall(s) || !s.holdsBack)
          return [to('loop')]
        return [to('occupied now')]
      case 'occupied now':
        return [to('loop', (n) => wakeMain(n))]
      case 'loop':
        return loopSteps(s, w, to)
      case 'settled': // afterTurn()
        return [to('take again', (n) => wakeMain(n))]
      case 'take again':
        if (has('an occupied worker does not say that it takes again')) return [to('look for calls')]
        return [to('look for calls', (n, me) => me.state === OCCUPIED && (me.state = LOOP))]
      case 'look for calls':
        return mayHaveWork(s, w) ? [to('take', (n, me) => (me.state = AWAKE))] : [to('loop')]
    }
    return []
  }

  function loopSteps(s, w, to) {
    const steps = []
    if (w.messages > 0)
      steps.push(to(w.promise >= 0 ? 'dry' : 'take', (n, me) => (me.messages--, (me.state = AWAKE))))
    if (w.promise >= 0 && haveOthersRun(s, w.promise))
      steps.push(to('settled', (n, me) => (me.ring.push(me.promise), (me.promise = -1))))
    return steps
  }
}

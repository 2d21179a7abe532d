// A model of the shared queue: every atomic access of src/transport is one step here, in the same order.
//
//   main     offer (slot, TAIL), announce (HEAD, STATEs, wake), poll (rings), fall asleep (MAIN, rings), exits of workers
//   worker   take (HEAD, TAIL, slot, HEAD), run, reply (ring), wake main (MAIN), spin (SPINNER, STATE), futex, event loop
//
// Timeouts are left out on purpose: what is shown must hold without them. A worker may die between any two of its steps;
// then main learns of it some time later, and starts another in its place. With `starts` workers are not up at the beginning: each
// posts that it is before it takes a call, and main reads no ring before it has read that. `flaws` leave out one step of the
// protocol each: the model must notice.

const AWAKE = 'awake'
const FUTEX = 'futex'
const LOOP = 'loop'
const SPINNING = 'spinning'

export function queueModel(system = {}) {
  const { workers = 2, tasks = 2, deaths = 0, spins = true, starts = false, flaws = [] } = system
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
    main: { pc: 'idle', worker: 0, needed: 0, offered: 0, again: [] },
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
      ring: [],
      messages: 0,
      isDead: false,
    }
  }

  function copyOf(s) {
    return {
      ...s,
      slots: [...s.slots],
      taskAt: [...s.taskAt],
      settled: [...s.settled],
      ran: [...s.ran],
      main: { ...s.main, again: [...s.main.again] },
      w: s.w.map((w) => ({ ...w, ring: [...w.ring] })),
    }
  }

  /** A copy of the state, changed. */
  function go(s, change) {
    const next = copyOf(s)
    change(next)
    return next
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
        return [to('count', (n) => ((n.main.needed = s.tail - s.head), (n.main.worker = 0)))]
      case 'count':
        return [countSpinners(s, to)]
      case 'wake':
        return wakeOne(s, to)
      case 'poll': // #poll: reads all rings
        return [to(s.w.some(hasReplies) ? 'poll' : 'fall asleep', drain)]
      case 'fall asleep':
        return [to('look again', (n) => (n.mainState = 'asleep'))]
      case 'look again':
        if (!has('main does not look again') && s.w.some(hasReplies))
          return [to('poll', (n) => (n.mainState = AWAKE))] // compareExchange; a worker that was faster has sent a message
        return [to('asleep')]
    }
    return steps
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
    if (needed <= 0 || worker === s.w.length) return [to('poll'), to('fall asleep')]
    const wake = to('wake', (n) => {
      const sleeper = n.w[worker]
      n.main.worker++
      if (sleeper.state === FUTEX || sleeper.state === LOOP) {
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
        return s.head === s.tail ? [to('dry')] : [to('claim', (n, me) => (me.at = s.head))]
      case 'claim': // compareExchange on the slot
        if (s.slots[w.at] === 'full') return [to('step', (n) => (n.slots[w.at] = `claimed ${i}`))]
        return [to('take', (n) => n.head === w.at && n.head++)]
      case 'step': // compareExchange on HEAD
        return [to('name', (n) => n.head === w.at && n.head++)]
      case 'name': // only main reads these words, and only after a death
        if (s.deaths === 0)
          return [
            to('reply', (n, me) => {
              me.current = n.taskAt[w.at]
              n.slots[w.at] = 'done'
              n.ran[me.current]++
            }),
          ]
        return [to('free', (n, me) => (me.current = n.taskAt[w.at]))]
      case 'free':
        return [to('run', (n) => (n.slots[w.at] = 'done'))]
      case 'run':
        return [to('reply', (n, me) => n.ran[me.current]++)]
      case 'reply': // the end of the ring; then wakeMain(hasMore), which may put it off
        return [to('wake main', (n, me) => (me.ring.push(me.current))), to('take late', (n, me) => (me.ring.push(me.current)))] // prettier-ignore
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

  /** Either way of sleeping may come first: which one it is depends on what the worker did before. */
  function sleep(to) {
    return [to('futex look', (n, me) => (me.state = FUTEX)), to('loop look', (n, me) => (me.state = LOOP))]
  }

  function sleepSteps(s, i, to) {
    const w = s.w[i]
    switch (w.pc) {
      case 'rest':
        if (spins && s.spinner === -1)
          return [to('spinning', (n, me) => ((n.spinner = i), (me.state = SPINNING))), ...sleep(to)]
        return sleep(to)
      case 'spinning': // ends when it finds a call, or when its time is over
        return [to(mayHaveCall(s) ? 'take' : 'spun look', (n, me) => ((me.state = AWAKE), (n.spinner = -1)))]
      case 'spun look':
        return mayHaveCall(s) ? [to('take')] : sleep(to)
      case 'futex look':
        if (!has('a worker does not look before the futex') && mayHaveCall(s))
          return [to('take', (n, me) => me.state === FUTEX && (me.state = AWAKE))]
        return [to('futex')]
      case 'futex': // Atomics.wait: sleeps while the word says so
        return w.state === FUTEX ? [] : [to('take')]
      case 'loop look':
        if (!has('a worker does not look before the event loop') && mayHaveCall(s))
          return [to('take', (n, me) => me.state === LOOP && (me.state = AWAKE))]
        return [to('loop')]
      case 'loop':
        return w.messages > 0 ? [to('take', (n, me) => (me.messages--, (me.state = AWAKE)))] : []
    }
    return []
  }
}

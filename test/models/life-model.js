// A model of what stands between a pool and one of its workers (life-signs.ts has the table): who is asked for a sign of life, and when a
// worker is ended. Messages go both ways in their order; what the pool knows is what it has read.
//
//   pool     send calls, read replies; its callers give up; gracePeriod over, look (WorkerWatch), silence, a minute of silence
//   worker   read messages, run calls, answer; promises that go on, what a task has left behind
//
// `kinds` of calls:
//   'value'    computes, and gives a value                     'waits'   gives a promise, which may settle
//   'long'     computes without an end                         'blocks'  gives a promise, goes on, and keeps the thread for ever
//                                                              'leaves'  gives a value, and leaves a callback that keeps the thread for ever
//
// Any caller may give up any call that is `impatient`. `counts`: the worker counts the calls that it begins, where the pool can see it (threads);
// otherwise the first call of a message is announced (processes, pages). A worker whose event loop turns answers before anybody takes it for silent;
// one whose thread is kept may be taken for it at once. `flaws` leave out one rule each: the model must notice.

export function lifeModel({ kinds, impatient = [], counts = true, flaws = [] }) {
  const has = (flaw) => flaws.includes(flaw)
  const call = (kind, i) => ({
    at: 'new',
    kind,
    settled: '',
    mayGiveUp: impatient.includes(i),
    ...POOLS_VIEW,
  })
  const start = {
    calls: kinds.map(call),
    inbox: [],
    outbox: [],
    batch: [],
    thread: 'loop',
    hasLeft: false,
    // What the pool knows of the worker.
    isAsked: false,
    isDoubtful: false,
    isRetired: false,
    hasMinutePassed: false,
    isEnded: false,
    wrong: '',
  }
  return { start, machines: [poolSteps, timerSteps, workerSteps] }

  function go(s, change) {
    const next = { ...s, inbox: s.inbox.slice(), outbox: s.outbox.slice(), batch: s.batch.slice() }
    next.calls = s.calls.map((each) => ({ ...each }))
    change(next, next.calls)
    return next
  }

  // The pool: what it reads and does.

  function poolSteps(s) {
    if (s.isEnded) return []
    const steps = []
    const fresh = s.calls.findIndex(({ at }) => at === 'new')
    if (fresh >= 0 && s.isRetired) steps.push(go(s, (n, calls) => goElsewhere(calls[fresh])))
    if (fresh >= 0 && !s.isRetired) {
      steps.push(go(s, (n) => send(n, [fresh])))
      if (fresh + 1 < kinds.length) steps.push(go(s, (n) => send(n, [fresh, fresh + 1])))
    }
    if (s.outbox.length > 0) steps.push(go(s, read))
    s.calls.forEach((each, i) => {
      if (each.mayGiveUp && each.settled === '' && each.at !== 'new') steps.push(go(s, (n) => giveUp(n, i)))
    })
    return steps
  }

  function send(n, list) {
    const isIdle = n.calls.every(({ isHeld, isWaiting }) => !isHeld || isWaiting)
    const isAnnounced = !counts && (isIdle || !has('only idle workers announce'))
    n.inbox.push({ type: 'calls', list, isAnnounced })
    for (const i of list) Object.assign(n.calls[i], { at: 'sent', isHeld: true, first: isAnnounced ? list[0] : -1 }) // prettier-ignore
  }

  function read(n, calls) {
    const { type, id } = n.outbox.shift()
    if (type === 'pong') return onAnswer(n)
    const own = calls[id]
    for (const each of calls) if (each.first === id) each.first = -1 // BegunCalls.noteReply()
    if (type === 'started') {
      own.hasStarted = true
      if (own.settled !== '' && own.grace === '') own.grace = 'runs'
    } else if (type === 'waiting') own.isWaiting = true
    else {
      own.isHeld = false
      own.settled ||= 'answered'
    }
  }

  function giveUp(n, i) {
    const own = n.calls[i]
    own.settled = 'given up'
    if (own.hasStarted) own.grace = 'runs'
  }

  function onAnswer(n) {
    n.isAsked = false
    n.hasMinutePassed = false
    for (const each of n.calls) if (each.grace === 'asked') each.grace = 'over' // #abandon()
  }

  function ask(n) {
    if (n.isAsked) return
    n.isAsked = true
    n.inbox.push({ type: 'ping' })
  }

  // What the clock brings. An answer that has come by now is read first.

  function timerSteps(s) {
    if (s.isEnded || s.outbox.length > 0) return []
    const steps = []
    s.calls.forEach((each, i) => {
      if (each.grace === 'runs') steps.push(go(s, (n) => judge(n, i)))
    })
    const isBusy = s.calls.some(({ settled, at }) => settled === '' && at !== 'new') || owes(s) || s.isAsked
    if (isBusy) steps.push(go(s, look))
    const isKept = s.thread !== 'loop'
    if (s.isAsked && isKept && s.calls.some(({ grace }) => grace === 'asked')) steps.push(go(s, onSilence))
    if (s.isAsked && isKept && !s.hasMinutePassed) steps.push(go(s, (n) => (n.hasMinutePassed = true)))
    return steps
  }

  /** Retirement.startGrace(). */
  function judge(n, i) {
    const own = n.calls[i]
    own.grace = own.isHeld ? own.grace : 'over'
    if (!own.isHeld) return
    if (!own.isWaiting) return end(n)
    own.grace = 'asked'
    ask(n)
  }

  /** WorkerWatch.#judge(). */
  function look(n) {
    if (computes(n)) return void (n.isDoubtful = false)
    if (n.isAsked) {
      if (n.thread !== 'loop') onSilence(n)
      return
    }
    if (waits(n)) return void (n.isDoubtful = false)
    if (n.isDoubtful) ask(n)
    n.isDoubtful = true
  }

  /** WorkerSlot.onSilence(). */
  function onSilence(n) {
    if (computes(n) && !has('it is ended though it computes')) return
    const servesNeighbours = n.calls.some(({ isHeld, isWaiting, settled }) => isHeld && isWaiting && settled === '') // prettier-ignore
    if (servesNeighbours && !n.hasMinutePassed && !has('neighbours are not looked at')) n.isRetired = true
    else end(n)
  }

  function computes({ calls }) {
    return calls.some((each) => each.isHeld && each.settled === '' && !each.isWaiting && !hasNotBegun(each))
  }

  function waits({ calls }) {
    const held = calls.filter(({ isHeld }) => isHeld)
    return held.length > 0 && held.every(({ settled, isWaiting }) => settled === '' && isWaiting)
  }

  function owes({ calls }) {
    return calls.some((each) => each.isHeld && hasNotBegun(each))
  }

  /** BegunCalls: by the counter, or as long as what was announced has not begun. */
  function hasNotBegun(each) {
    if (has('nobody knows what has begun')) return false
    return counts ? each.at === 'sent' : each.first >= 0
  }

  function end(n) {
    const [what, id] = n.thread.split(' ')
    const isAwaited = id !== undefined && n.calls[id].settled === ''
    if (what === 'runs' && isAwaited) n.wrong = 'it is ended although it computes for a caller'
    if (what === 'kept' && isAwaited && !n.hasMinutePassed)
      n.wrong = 'it is ended although it goes on for a caller'
    if (what === 'loop') n.wrong = 'it is ended although its event loop turns'
    n.isEnded = true
    for (const each of n.calls) {
      if (each.settled !== '') continue
      if (each.at === 'new' || hasNotBegun(each)) goElsewhere(each)
      else each.settled = 'lost'
      if (each.settled === 'elsewhere' && BEGUN.includes(each.at)) n.wrong = 'a call runs twice'
    }
  }

  /** Another worker has it. */
  function goElsewhere(each) {
    each.settled = 'elsewhere'
    if (each.at === 'new') each.at = 'gone'
  }

  // The worker.

  function workerSteps(s) {
    if (s.isEnded) return []
    const [what, id] = s.thread.split(' ')
    if (what === 'runs') return runSteps(s, Number(id))
    if (what === 'kept') return []
    const steps = []
    if (s.batch.length > 0) return [go(s, begin)] // calls of one message follow each other without a turn
    if (s.inbox.length > 0) steps.push(go(s, readMessage))
    s.calls.forEach(({ at, kind }, i) => {
      if (at === 'open' && kind === 'waits') steps.push(go(s, (n) => answer(n, i)))
      if (at === 'open' && kind === 'blocks') steps.push(go(s, (n) => (n.thread = `kept ${i}`)))
    })
    if (s.hasLeft) steps.push(go(s, (n) => (n.thread = 'kept')))
    return steps
  }

  function readMessage(n) {
    const { type, list, isAnnounced } = n.inbox.shift()
    if (type === 'ping') n.outbox.push({ type: 'pong', id: -1 })
    else n.batch.push(...list.map((id, i) => ({ id, isAnnounced: isAnnounced && i === 0 })))
  }

  /** What was announced, or may be given up, says that it begins. */
  function begin(n) {
    const { id, isAnnounced } = n.batch.shift()
    n.calls[id].at = 'begun'
    if (isAnnounced || n.calls[id].mayGiveUp) n.outbox.push({ type: 'started', id })
    n.thread = `runs ${id}`
  }

  function runSteps(s, id) {
    const { kind } = s.calls[id]
    if (kind === 'long') return []
    const isPromise = kind === 'waits' || kind === 'blocks'
    return [
      go(s, (n) => {
        n.thread = 'loop'
        if (!isPromise) return answer(n, id)
        n.calls[id].at = 'open'
        n.outbox.push({ type: 'waiting', id })
      }),
    ]
  }

  function answer(n, id) {
    n.calls[id].at = 'done'
    n.outbox.push({ type: 'result', id })
    if (n.calls[id].kind === 'leaves') n.hasLeft = true
  }
}

/** Of a call that it has not sent. `first`: of its message, while that was announced and has not begun; `grace`: of one that was given up. */
const POOLS_VIEW = { isHeld: false, isWaiting: false, hasStarted: false, first: -1, grace: '' }

const BEGUN = ['begun', 'open', 'done']

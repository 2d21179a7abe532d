// A model of a ring that is full: a worker with more replies than room, and main that reads them. Every atomic access is one
// step, in the order of src/transport, and no sleep has a timeout.
//
//   worker   write (HEAD, tail), want room (WANTS_ROOM), write again; then the futex (a call that has just run), or the backlog
//            (a promise that has settled) and sleep: STATE, WANTS_ROOM
//   main     drain (replies, HEAD), WANTS_ROOM, wake (STATE), fall asleep (MAIN, ring)

const AWAKE = 'awake'
const FUTEX = 'futex'
const LOOP = 'loop'

/** `replies`: 'late' or 'now', in their order. `room`: replies that the ring holds. */
export function roomModel({ replies, room = 1, flaws = [] }) {
  const has = (flaw) => flaws.includes(flaw)
  const start = {
    ring: 0,
    wantsRoom: 0,
    state: AWAKE,
    mainState: AWAKE,
    mainMessages: 0,
    messages: 0,
    settled: 0,
    w: { pc: 'next', next: 0, backlog: 0, isFlushing: false },
    main: 'poll',
  }
  return { start, machines: [mainSteps, workerSteps] }

  /** A copy of the state, changed. */
  function go(s, change) {
    const next = { ...s, w: { ...s.w } }
    change(next, next.w)
    return [next]
  }

  function mainSteps(s) {
    const to = (pc, change = () => {}) => go(s, (n) => ((n.main = pc), change(n)))
    switch (s.main) {
      case 'poll':
        if (s.ring === 0) return to('fall asleep')
        return to('look who wants room', (n) => ((n.settled += n.ring), (n.ring = 0)))
      case 'look who wants room':
        return s.wantsRoom === 1 ? to('wake', (n) => (n.wantsRoom = 0)) : to('poll')
      case 'wake': // compareExchange of STATE; the message comes to a worker in its event loop
        return to('poll', (n) => {
          if (n.state === LOOP) n.messages++
          n.state = AWAKE
        })
      case 'fall asleep':
        return to('look again', (n) => (n.mainState = 'asleep'))
      case 'look again':
        return s.ring > 0 ? to('poll', (n) => (n.mainState = AWAKE)) : to('asleep')
      case 'asleep':
        return s.mainMessages > 0 ? to('poll', (n) => (n.mainMessages--, (n.mainState = AWAKE))) : []
    }
    throw new Error(s.main)
  }

  function workerSteps(s) {
    const { w } = s
    const to = (pc, change = () => {}) => go(s, (n, me) => ((me.pc = pc), change(n, me)))
    switch (w.pc) {
      case 'next': // what is left to do
        if (w.next === replies.length) return to('flush')
        if (replies[w.next] === 'now' || w.backlog === 0) return to('write')
        return [...to('flush'), ...to('next', (_, me) => (me.next++, me.backlog++))]
      case 'flush':
        return w.backlog > 0 ? to('write', (_, me) => (me.isFlushing = true)) : to('wake main')
      case 'write':
        return s.ring < room ? to(afterWrite(w), wrote) : to('want room')
      case 'want room':
        return to('write again', (n) => (n.wantsRoom = 1))
      case 'write again':
        return s.ring < room ? to(afterWrite(w), wrote) : to(w.isFlushing ? 'wake main' : 'full', endFlush)
      default:
        return sleepSteps(s, to)
    }
  }

  function afterWrite({ isFlushing }) {
    return isFlushing ? 'flush' : 'next'
  }

  function wrote(n, me) {
    n.ring++
    if (me.isFlushing) me.backlog--
    else me.next++
    me.isFlushing = false
  }

  function endFlush(_, me) {
    me.isFlushing = false
  }

  function wakeMain(n) {
    if (n.mainState !== 'asleep') return
    n.mainState = AWAKE
    n.mainMessages++
  }

  function sleepSteps(s, to) {
    const { w } = s
    switch (w.pc) {
      case 'full': // of a promise: put by. Of a call that has just run: waits
        if (replies[w.next] === 'late') return to('next', (_, me) => (me.next++, me.backlog++))
        return to('say futex', wakeMain)
      case 'say futex':
        return to('futex look', (n) => (n.state = FUTEX))
      case 'futex look':
        return to(s.wantsRoom === 1 || has('no look before the futex') ? 'futex' : 'awake again')
      case 'futex':
        return s.state === FUTEX ? [] : to('awake again')
      case 'awake again':
        return to('write', (n) => (n.state = AWAKE))
      case 'wake main':
        return to('rest', wakeMain)
      case 'rest':
        if (w.next < replies.length) return [...to('next'), ...to('loop look', (n) => (n.state = LOOP))]
        return to('loop look', (n) => (n.state = LOOP))
      case 'loop look':
        if (w.backlog > 0 && s.wantsRoom === 0 && !has('no look at the backlog before the event loop'))
          return to('flush', (n) => n.state === LOOP && (n.state = AWAKE))
        return to('loop')
      case 'loop': // woken by a message, or by the next promise that settles
        if (s.messages > 0) return to('flush', (n) => (n.messages--, (n.state = AWAKE)))
        return w.next < replies.length ? to('next') : []
    }
    throw new Error(w.pc)
  }
}

// The tests of piscina that fail on threadwise/piscina, and why. A test is named as `FILE: NAME`.

const untouched =
  'It aborts a call that has not begun, and expects that its thread ends all the same. Ours goes on.'
const blocked =
  'It blocks its own thread (`Atomics.wait`) right after `run()`. A call leaves when the turn of its caller ends: await something in between.'
const symbol = 'It asks a file inside piscina whether a value is marked; ours has another mark.'

const timers =
  'It sets a timer of 5 ms in the thread and one of 10 ms in the program. On a busy machine the second may come first: it passes by chance.'

export const knownFailures = {
  'test-is-buffer-transferred: transferable objects must be transferred': timers,
  'test-is-buffer-transferred: objects that implement transferable must be transferred': timers,
  'pool: workerCreate/workerDestroy should be emitted while managing worker lifecycle': untouched,
  'workers: workers are marked as destroyed if destroyed': untouched,
  'move-test: Using Piscina.move() returns a movable object': symbol,
  'move-test: Using ArrayBuffer works as expected': symbol,
  'move-test: Using TypedArray works as expected': symbol,
  'move-test: Using MessagePort works as expected': symbol,
  'abort-task: tasks can be aborted through AbortController while running': blocked,
  'abort-task: tasks can be aborted through EventEmitter while running': blocked,
  'atomics-optimization: coverage test for Atomics optimization (sync mode)': blocked,
  'atomics-optimization: enable async mode': blocked,
  'atomics-optimization: avoids unbounded recursion':
    '10,000 calls by a loader of TypeScript, for which this run allows 15 seconds. A busy machine may take longer.',
  'task-queue: tasks can share a Worker if requested (both tests finish)': blocked,
  'idle-timeout: idle timeout will let go of threads early':
    'A thread that is not needed leaves after one to two times `idleTimeout`; the test allows for the first only. It passes by chance.',
  'idle-timeout: idle timeout will not let go of threads if Infinity is used as the value':
    'It expects that the first call goes to the first thread. Ours goes to the thread that takes it first. It passes by chance.',
}

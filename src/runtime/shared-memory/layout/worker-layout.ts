// What one worker and the main thread share: how the worker sleeps, what it runs, and the ring of its replies.
//
//   words:  0 STATE 1 DOORBELL 2 WANTS_ROOM 3 UPDATES 4 PRINTED 5 TO_REST | 16 CURRENT 17 SINCE | 32 TAIL | 48 HEAD | reply reply reply ...
//
//   STATE: AWAKE --worker--> SPINNING, IN_FUTEX, IN_LOOP, OCCUPIED --worker, or main that wakes it--> AWAKE
//          OCCUPIED --worker, once it may take calls again--> IN_LOOP
//
//   word        written by           says
//   STATE       worker, main         what it takes to wake the worker; the word on which it sleeps in the futex
//   DOORBELL    main 1, worker 0+1    a message may lie in the port of a worker that is not in its event loop
//   WANTS_ROOM  worker 1, main 0     the ring was full: wake the worker once some of it was read
//   UPDATES        worker               how many messages about buffers it has read: shared-buffer-registry.ts
//   PRINTED     main                 how many pieces of the worker's output it has printed
//   TO_REST     main                 1: take no calls from the queue, since other workers take all: waking.ts
//   CURRENT     worker               the call that it runs or ran last, of those from the queue; -1: none
//   SINCE       worker               machineMs() at its start, if it may take long, or 0; for a moment still that of the call before
//   TAIL        worker               end of the replies written
//   HEAD        main                 end of the replies read
//
// TAIL and HEAD stand on cache lines of their own, since each is written often by one side and read by the other.

export const STATE = 0
export const DOORBELL = 1
export const WANTS_ROOM = 2
export const UPDATES = 3
export const PRINTED = 4
export const TO_REST = 5
export const CURRENT = 16
export const SINCE = 17
export const TAIL = 32
export const HEAD = 48

export const AWAKE = 0
export const IN_FUTEX = 1
export const IN_LOOP = 2
export const SPINNING = 3
/** In its event loop, where it takes no calls: as many as it may hold wait on promises, or its ring is full. */
export const OCCUPIED = 4

export const CONTROL_BYTES = 4 * 64
/** A power of two. The last value may end behind it, and takes no room there from the first ones. */
export const RING_BYTES = 256 * 1024
/** Larger values travel by message. */
export const MAX_VALUE_BYTES = 64 * 1024

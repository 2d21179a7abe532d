// Connections that were on their way to an instance when it died go to another one.
//
// node:cluster waits for the instance to say that it has taken a connection. If it dies before, the primary keeps its copy of
// the socket open for ever, and the client waits for an answer that nobody will give. So this listens to what the two say to
// each other, and answers in place of the dead instance that it did not take the connection, which is how an instance
// that stops refuses one. Messages of another form are left alone.

import cluster, { type Worker } from 'node:cluster'

interface Handed {
  close(): void
}

interface ClusterMessage {
  cmd?: string
  act?: string
  seq?: number
  ack?: number
}

/** Gives how many are on their way now. */
export function passOnUnanswered(worker: Worker): () => number {
  const unanswered = new Map<number, Handed>()
  const { process: child } = worker
  // It could not be started.
  if (typeof child.send !== 'function') return () => 0
  const send = child.send.bind(child) as (...args: unknown[]) => boolean
  child.send = (...args: unknown[]) => {
    const [message, handle] = args as [ClusterMessage | undefined, Handed | undefined]
    const isConnection = message?.cmd === 'NODE_CLUSTER' && message.act === 'newconn'
    if (isConnection && handle && message.seq !== undefined) unanswered.set(message.seq, handle)
    return send(...args)
  }
  const onInternal = (message: ClusterMessage | undefined) => {
    if (message?.cmd === 'NODE_CLUSTER' && message.ack !== undefined) unanswered.delete(message.ack)
  }
  child.on('internalMessage', onInternal)
  let isDisconnected = false
  child.once('disconnect', () => (isDisconnected = true))
  // It has exited, and all that it has said was read.
  child.once('close', () => {
    child.off('internalMessage', onInternal)
    // With a connection under way Node does not come to emit it, and node:cluster goes on to count on the dead one.
    if (!isDisconnected) child.emit('disconnect')
    const hasOthers = Object.values(cluster.workers ?? {}).some((other) => other?.isConnected())
    for (const [ack, handle] of unanswered) {
      if (hasOthers) child.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack, accepted: false })
      else handle.close()
    }
    unanswered.clear()
  })
  return () => unanswered.size
}

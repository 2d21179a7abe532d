// Where in its JavaScript a thread is: asked through its debugger, which stops it for some milliseconds.
//
//   Debugger.enable, .pause --> the call frames --> .resume, .disable
//
// Every step is awaited: a debugger that goes before the thread has resumed spoils the next one (Node 24). Code that is inside
// the platform, as in Atomics.wait or a native addon, cannot be stopped: the thread stops at the next JavaScript that it runs.

/** The inspector of a thread. */
export interface Debugger {
  /** Resolves when the thread has answered. */
  send(method: string): Promise<void>
  onEvent(listener: (method: string, params: DebuggerEvent) => void): void
}

/** What this reads of Debugger.scriptParsed and Debugger.paused. */
export interface DebuggerEvent {
  readonly scriptId?: string
  readonly url?: string
  readonly callFrames?: readonly PausedFrame[]
}

interface PausedFrame {
  readonly functionName: string
  readonly location: {
    readonly scriptId: string
    readonly lineNumber: number
    readonly columnNumber?: number
  }
}

export interface Frame {
  readonly url: string
  /** As a line in the stack of an error. */
  readonly text: string
}

type Frames = readonly Frame[] | undefined

/**
 * The frames of the thread, from the innermost one on. Undefined when `patience` gives undefined, which gets what comes once the
 * thread has stopped.
 */
export async function readPausedStack(
  thread: Debugger,
  patience: (frames: Promise<Frames>) => Promise<Frames> = (frames) => frames,
): Promise<Frames> {
  const urls = new Map<string | undefined, string | undefined>() // frames name their script by number
  const paused = new Promise<Frames>((resolve) => {
    thread.onEvent((method, { scriptId, url, callFrames = [] }) => {
      if (method === 'Debugger.scriptParsed') urls.set(scriptId, url)
      if (method === 'Debugger.paused')
        resolve(callFrames.map((frame) => frameOf(frame, urls.get(frame.location.scriptId))))
    })
  })
  await thread.send('Debugger.enable')
  await thread.send('Debugger.pause')
  const frames = await patience(paused)
  if (frames) await thread.send('Debugger.resume')
  await thread.send('Debugger.disable')
  return frames
}

function frameOf({ functionName, location: { lineNumber, columnNumber = 0 } }: PausedFrame, url = ''): Frame {
  const place = `${url}:${lineNumber + 1}:${columnNumber + 1}`
  return { url, text: `    at ${functionName === '' ? place : `${functionName} (${place})`}` }
}

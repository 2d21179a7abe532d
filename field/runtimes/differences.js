// What differs from Node, and why: each entry explains the cases of the contract suite whose names it matches. What none matches is listed
// on the page by its name.

/** `cases`: matches "FILE CASE". `what` and `so`: cells of the table. */
export const differences = [
  {
    what: 'Stacks do not show the caller of a failed call, nor the error of a stream',
    so: 'the stack ends with frames of threadwise; name, message, cause and fields are whole',
    cases: /the stack shows|time limit that has passed shows|stream that fails > gives what came before/,
  },
  {
    what: '`resourceLimits` are not enforced (on Deno those of processes are), and a worker that runs out of memory does not end',
    so: 'the option is refused with `TW_ERR_INVALID_OPTION`; limit the memory of the whole program',
    cases: /running out of memory/,
  },
  {
    what: 'Ports, web streams and files cannot be moved to a worker',
    so: 'the call rejects with `TW_ERR_NOT_CLONEABLE`; send buffers, or stream the result',
    cases: /moved values > a stream|a port and an open file/,
  },
  {
    what: '`console.log` in a thread does not go through `process.stdout`, and output of processes is not labelled in time',
    so: 'lines arrive, but perhaps after the result, without a label, or not the last ones of a worker that ends',
    cases: /^output\.test\.js/,
  },
  {
    what: 'Usage of workers (CPU time, event loop) and the stacks of blocked ones are not told',
    so: '`inspect()` gives zeros; `warnAfter` warns without a stack',
    cases: /seeing inside > (stats\(\) lists|a worker that a task keeps busy|warnAfter)/,
  },
  {
    what: 'Objects of the platform: `File`, `Histogram`, `DOMException`, `AsyncResource` and `Event` are others than those of Node',
    so: 'send their data',
    cases: /> (File|Histogram)[:\s]|an async resource|> an event|dom(Exception|WithCause)/,
  },
  {
    what: '`import.meta.url` has no query, by which the suite tells a module to make a pool of itself',
    so: 'that such a pool is refused was not tried',
    cases: /^own-pools\.test\.js/,
  },
  {
    what: 'Globals of a worker, and options of Node that forbid code of text',
    so: 'globals of the runtime are there; `execArgv` takes options of the runtime',
    cases: /^surroundings\.test\.js/,
  },
  {
    what: 'Messages name the code of an import as the runtime prints it',
    so: 'nothing',
    cases: /is named by its code|that is not there is told/,
  },
  {
    what: 'On Deno a thread that is given up counts as ended at once, though the system may still hold it',
    so: 'a call of the same key may begin before that end',
    cases: /though the system holds its thread|wait for its end, so that none run side by side/,
  },
  {
    what: 'On Deno a task reaches no channel of its worker, and modules of the runtime need an `Object.prototype` that nobody added to',
    so: 'nothing',
    cases: /a forged answer to a call for many|a polluted Object\.prototype/,
  },
  {
    what: 'What the suite itself needs and the runtime has not: flags and the collector of V8, exact times, `/proc` of Node',
    so: 'not tried',
    cases:
      /^(large-copies|shared-memory|large-pools)\.test\.js|node:perf_hooks|run time is not counted|side by side/,
  },
]

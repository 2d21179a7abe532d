// Verdicts of threadwise doctor on two apps of the corpus. All of them: bench/doctor-corpus.mjs.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { removeCorpus, tryApp } from '../../bench/doctor/try-app.mjs'

after(removeCorpus)

/** On a busy machine there may be no time to look at each of them. */
const isFoundOrOpen = ({ verdict, reasons }) => verdict === 'move' || (verdict === null && /^cannot tell/.test(reasons[0])) // prettier-ignore

describe('threadwise doctor on an app', () => {
  for (const [name, what] of [
    ['other-files', 'whose tables are changed by functions that nobody calls while it looks'],
    ['errors', 'that knows errors by their class'],
  ])
    test(what, async () => {
      const { verdicts, moved } = await tryApp(name, { moves: true })
      const told = ({ name: called, verdict, reasons }) => `${called}: ${verdict}, ${reasons.join('; ')}`
      assert.deepEqual(verdicts.filter(({ isFalseMove }) => isFalseMove).map(told), [], 'no function is wrongly said to move') // prettier-ignore
      assert.deepEqual(verdicts.filter((each) => each.isMovable && !isFoundOrOpen(each)).map(told), [])
      for (const { task, apart, told: answers } of moved ?? []) assert.equal(apart, 0, `${task}: ${answers}`)
    })
})

// Our own errors: recognised by brand, told apart by code, and saying what came and what to do.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errorCodes } from '../../../build/errors/error-messages.js'
import { assert as assertOwn, isThreadwiseError, ThreadwiseError } from '../../../build/errors/errors.js'
import { checkOption } from '../../../build/errors/check-options.js'

test('every code makes an error with a whole sentence, whatever is known of the case', () => {
  for (const code of errorCodes) {
    assert.match(code, /^TW_ERR_[A-Z_]+$/)
    for (const details of [undefined, {}, { available: [] }]) {
      const error = new ThreadwiseError(code, details)
      assert.equal(error.code, code)
      assert.equal(error.name, 'ThreadwiseError')
      assert.ok(error instanceof Error)
      assert.match(error.message, /^\S.*\S\.$/s)
    }
  }
})

test('a start in the background that failed tells how its process ended, where that is known', () => {
  const told = (details) =>
    new ThreadwiseError('TW_ERR_BACKGROUND_FAILED', { name: 'web', ...details }).message
  const head = 'web did not start in the background: '
  assert.equal(
    told({ output: 'no port', how: 'with exit code 1' }),
    `${head}no port (its process ended with exit code 1 before it served).`,
  )
  assert.equal(told({ output: 'Its folder is gone.' }), `${head}Its folder is gone.`)
  assert.equal(told({ output: 'listen EADDRINUSE' }), `${head}listen EADDRINUSE.`)
})

test('errors of ours are recognised, also from another copy of the package', async () => {
  assert.equal(isThreadwiseError(new ThreadwiseError('TW_ERR_CLOSED')), true)
  const other = await import('../../../build/errors/errors.js?another-copy')
  assert.notEqual(other.ThreadwiseError, ThreadwiseError)
  assert.equal(isThreadwiseError(new other.ThreadwiseError('TW_ERR_CLOSED')), true)
})

test('nothing else is taken for one', () => {
  const lookalike = Object.assign(new Error('x'), { name: 'ThreadwiseError', code: 'TW_ERR_CLOSED' })
  for (const value of [lookalike, new Error('x'), {}, null, undefined, 'TW_ERR_CLOSED', 5]) {
    assert.equal(isThreadwiseError(value), false)
  }
})

test('the cause is kept, and there is none where none was given', () => {
  const cause = new Error('why')
  assert.equal(new ThreadwiseError('TW_ERR_START_FAILED', {}, { cause }).cause, cause)
  assert.equal('cause' in new ThreadwiseError('TW_ERR_START_FAILED'), false)
})

test('messages show what came, short and in full view of its type', () => {
  const shown = (received) =>
    new ThreadwiseError('TW_ERR_INVALID_OPTION', { option: 'o', expected: 'e', received }).message
  assert.equal(shown('5'), 'o must be e, got "5".')
  assert.equal(shown(5), 'o must be e, got 5.')
  assert.equal(shown(undefined), 'o must be e, got undefined.')
  assert.equal(shown(null), 'o must be e, got null.')
  assert.equal(shown([1, 2]), 'o must be e, got an array of 2.')
  assert.equal(shown({ a: 1, b: 2 }), 'o must be e, got an object with a, b.')
  assert.equal(shown({}), 'o must be e, got an object with nothing.')
  assert.equal(shown(new URL('file:///a.js')), 'o must be e, got the URL file:///a.js.')
  assert.equal(shown(() => {}), 'o must be e, got a function.') // prettier-ignore
  assert.equal(shown(Symbol('s')), 'o must be e, got Symbol(s).')
  assert.equal(shown(1n), 'o must be e, got 1.')
})

test('a reason keeps no full stop of its own, and a file that is a module by its text only says what to do', () => {
  const message = (reason, module = 'm') =>
    new ThreadwiseError('TW_ERR_START_FAILED', { module, reason }).message
  assert.equal(
    message('It broke.'),
    'A worker could not start m: It broke. Check that the file loads with a plain import(), and that its setup() runs if it has one.',
  )
  for (const reason of [
    "SyntaxError: Unexpected token 'export'",
    'Cannot use import statement outside a module',
  ])
    assert.match(message(reason), /: put "type": "module" into its package\.json, or name it \.mjs\.$/)
  assert.match(message("SyntaxError: Unexpected token 'export'", 'm.ts'), /name it \.mts\.$/)
})

test('checkOption throws only what is invalid', () => {
  checkOption(true, 'size', 'a number', 'x')
  assert.throws(() => checkOption(false, 'size', 'a number', 'x'), { code: 'TW_ERR_INVALID_OPTION' })
})

test('an impossible state says that it is a bug of ours', () => {
  assertOwn(1, 'fine')
  assert.throws(() => assertOwn(0, 'two heads'), { message: 'This is a bug in threadwise: two heads' })
})

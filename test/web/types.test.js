// The types of threadwise/web in a program that knows the types of a browser, and none of Node.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

test('a page is typed without the types of Node', () => {
  const file = fileURLToPath(new URL('../fixtures/web/typed.ts', import.meta.url))
  const { options, errors } = ts.convertCompilerOptionsFromJson(
    {
      ...{ target: 'es2022', module: 'esnext', moduleResolution: 'bundler', strict: true, noEmit: true },
      ...{ lib: ['es2023', 'dom', 'esnext.disposable'], types: [], skipLibCheck: true },
    },
    '.',
  )
  assert.deepEqual(errors, [])
  const found = ts.getPreEmitDiagnostics(ts.createProgram([file], options))
  assert.deepEqual(found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n')), []) // prettier-ignore
})

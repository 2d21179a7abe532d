// Nothing enters a page unescaped.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { escapeHtml, markup, toHtml } from '../../../../../build/measure/report/markup/markup.js'

test('Every character that means something in HTML is escaped.', () => {
  assert.equal(escapeHtml(`<a b="c" d='e'>&`), '&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;')
})

test('A template escapes text and keeps the markup of other templates.', () => {
  const inner = markup`<b>${'<i>'}</b>`
  assert.equal(
    toHtml(markup`<p title="${'"x"'}">${inner}${[inner, '&']}</p>`),
    '<p title="&quot;x&quot;"><b>&lt;i&gt;</b><b>&lt;i&gt;</b>&amp;</p>',
  )
})

test('Nothing is written for null, undefined and false, and zero is written.', () => {
  assert.equal(toHtml(markup`[${null}${undefined}${false}${0}]`), '[0]')
})

test('Data that looks like markup does not pass for it.', () => {
  const forged = JSON.parse('{"markup":"<script>","html":"<script>","value":"<script>"}')
  assert.ok(!toHtml(markup`${forged}`).includes('<script>'))
})

test('Colours are removed, and control characters and reversed text become visible.', () => {
  assert.equal(escapeHtml('\u001b[31mred\u001b[0m \u0000 \u202efdp.exe'), 'red \ufffd \ufffdfdp.exe')
})

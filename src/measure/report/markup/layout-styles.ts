// The style sheet of the page: colours, type, layout and tables. Plots have their own.

export const layoutStyles = `
:root {
  color-scheme: light dark;
  --paper: #fdfdfb; --ink: #1c2125; --muted: #5a646d; --line: #e0e3de; --tint: #f3f4f0; --grid: #e9ebe6;
  --accent: #0f766e; --accent-tint: #e3f1ee; --slow: #8a5710; --slow-tint: #f6ecdc; --bad: #a8281e;
  --f: 15, 118, 110; --s: 166, 104, 20; --hatch: rgba(28, 33, 37, .13);
  --inline: #6b7480; --concurrent: #a03c92; --threads: #0067b3; --processes: #c9480b; --bullmq: #6a7f00;
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", Arial, sans-serif;
  --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --paper: #14171a; --ink: #e3e6e8; --muted: #9ba5ae; --line: #2c3237; --tint: #1c2125; --grid: #23282d;
    --accent: #4db6a9; --accent-tint: #16302d; --slow: #d9a860; --slow-tint: #33291a; --bad: #f08a80;
    --f: 63, 176, 163; --s: 205, 145, 60; --hatch: rgba(227, 230, 232, .15);
    --inline: #a4adb8; --concurrent: #d98bcd; --threads: #62b0ee; --processes: #f28d52; --bullmq: #b5cc4a;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0; background: var(--paper); color: var(--ink); overflow-wrap: anywhere;
  font: 16px/1.55 var(--sans); font-variant-numeric: tabular-nums;
}
main, footer { max-width: 62rem; margin: 0 auto; padding: 0 clamp(1rem, 4vw, 2.5rem); }
.masthead { border-top: 4px solid var(--accent); padding-top: 1.75rem; }
.eyebrow { margin: 0; color: var(--muted); font-size: .9375rem; }
.eyebrow b { color: var(--ink); font-weight: 600; }
h1 { font-size: clamp(1.75rem, 5vw, 2.375rem); line-height: 1.15; letter-spacing: -.02em; font-weight: 650; margin: .4rem 0 1.5rem; text-wrap: balance; }
h2 { font-size: 1.3125rem; line-height: 1.3; letter-spacing: -.01em; font-weight: 650; margin: 0 0 .35rem; }
h3 { font-size: 1.0625rem; font-weight: 600; margin: 2rem 0 .25rem; }
h2 + h3 { margin-top: 1rem; }
h4 { font-size: .9375rem; font-weight: 600; margin: 1.5rem 0 .35rem; }
h4 small, .scout, .missing { color: var(--muted); font-size: .875rem; font-weight: 400; }
section + section { border-top: 1px solid var(--line); margin-top: 3.25rem; padding-top: 2rem; }
p { margin: 0 0 .75rem; }
code, pre { font-family: var(--mono); font-size: .875em; }
figure { margin: 0 0 1.5rem; }
figcaption { color: var(--muted); max-width: 46rem; margin: 0 0 1.25rem; font-size: .9375rem; text-wrap: pretty; }
ul.plain, ul.reasons { margin: .75rem 0; padding-left: 1.1rem; }
.scout { margin: 0 0 .5rem; }

.verdicts { list-style: none; margin: 0; padding: 0; }
.verdicts > li { display: grid; grid-template-columns: 7rem minmax(0, 1fr); gap: .25rem 1.5rem; padding: 1.1rem 0; border-top: 1px solid var(--line); }
.verdicts + h3 { margin-top: 1.5rem; }
.verdicts .limit { margin: 0; font-size: 1.1875rem; line-height: 1.45; font-weight: 600; white-space: nowrap; }
.sentence { font-size: 1.1875rem; line-height: 1.45; margin: 0 0 .5rem; max-width: 42rem; text-wrap: pretty; }
.sentence.lead { font-size: 1.3125rem; }
.choice { margin: 0; display: flex; flex-wrap: wrap; align-items: center; gap: .4rem .9rem; font-size: .9375rem; }
.pick { font-weight: 600; white-space: nowrap; }
.reasons { color: var(--muted); font-size: .9375rem; max-width: 42rem; }
.reasons li { margin: .35rem 0; }
.reasons li::marker { color: var(--line); }
.reasons li.warning { color: var(--ink); }
.reasons li.warning::marker { content: "!\\a0\\a0"; color: var(--slow); font-weight: 700; }
.evidence { display: block; font-size: .8125rem; opacity: .85; overflow-wrap: anywhere; }
.notice { background: var(--slow-tint); border-left: 3px solid var(--slow); padding: .6rem .9rem; margin: 1.25rem 0 0; }

.badge {
  display: inline-block; padding: .05rem .55rem; border-radius: 1rem; border: 1px solid transparent; white-space: nowrap;
  font-size: .8125rem; line-height: 1.45; background: var(--tint); color: var(--muted);
}
.badge.faster, .badge.quiet { background: var(--accent-tint); color: var(--accent); }
.badge.slower, .badge.noisy { background: var(--slow-tint); color: var(--slow); }
.badge.cannot-tell, .badge.guess { background: none; border: 1px dashed var(--muted); }
.badge.baseline { background: none; padding-inline: 0; }
.badge.failed, .badge.unusable { background: none; color: var(--bad); border-color: currentColor; }

.scroll { overflow-x: auto; margin: 0 0 1rem;
  /* A shadow at each side where there is more: two covers scroll with the content, the shadows stay. */
  background:
    linear-gradient(to right, var(--paper) 40%, transparent) 0 0 / 3rem 100% no-repeat local,
    linear-gradient(to left, var(--paper) 40%, transparent) 100% 0 / 3rem 100% no-repeat local,
    linear-gradient(to right, rgb(0 0 0 / .22), transparent) 0 0 / .9rem 100% no-repeat scroll,
    linear-gradient(to left, rgb(0 0 0 / .22), transparent) 100% 0 / .9rem 100% no-repeat scroll;
}
.hint { color: var(--muted); font-size: .8125rem; margin: 0 0 .25rem; }
.scroll:focus-visible, pre:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
table { border-collapse: collapse; font-size: .9375rem; }
th { font-weight: 400; text-align: left; }
.data { min-width: min(100%, 36rem); }
.data th, .data td { padding: .4rem 1.25rem .4rem 0; border-bottom: 1px solid var(--line); vertical-align: baseline; white-space: nowrap; }
.data tr.starts > * { border-top: 1px solid var(--muted); }
.data thead th { color: var(--muted); font-size: .8125rem; vertical-align: bottom; }
.data .num { text-align: right; }
.data td.text { white-space: normal; min-width: 6rem; }
.data td.text:first-child { overflow-wrap: break-word; }
.data th:last-child, .data td:last-child { padding-right: 0; }
.wide { font-size: .875rem; min-width: 100%; }
.wide th:first-child { position: sticky; left: 0; background: var(--paper); z-index: 1; }
.wide td.name { white-space: normal; min-width: 8rem; max-width: 20rem; overflow-wrap: anywhere; }
.failure { color: var(--bad); overflow-wrap: anywhere; }
td.failure div { white-space: normal; max-width: 40rem; }
.error { white-space: normal; text-align: left; color: var(--bad); min-width: 14rem; max-width: 24rem; overflow-wrap: anywhere; }

.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 17rem), 1fr)); gap: 1rem 2rem; margin: 1rem 0 1.75rem; }
.facts div { min-width: 0; }
.facts dt { color: var(--muted); font-size: .8125rem; }
.facts dd { margin: 0; overflow-wrap: anywhere; }
.state { font-size: 1.0625rem; margin: .5rem 0; }
pre { background: var(--tint); border-radius: 6px; padding: .9rem 1.1rem; margin: .75rem 0; overflow: auto; line-height: 1.5; }
details pre { max-height: 32rem; }
summary { cursor: pointer; color: var(--accent); }
footer { color: var(--muted); font-size: .875rem; margin-top: 3.5rem; padding-bottom: 3rem; }

@media (max-width: 40rem) {
  .verdicts > li { grid-template-columns: minmax(0, 1fr); }
  section + section { margin-top: 2.5rem; padding-top: 1.5rem; }
}
@media print {
  :root { color-scheme: light; --paper: #fff; }
  body { font-size: 11pt; }
  * { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
  figure, .verdicts > li, tr, .panel, .row { break-inside: avoid; }
  h2, h3, h4, figcaption { break-after: avoid; }
  .scroll { overflow: visible; background: none; }
  .hint { display: none; }
  .wide { font-size: 6.5pt; }
  .wide th, .wide td { padding-right: .5rem; }
  details { display: none; }
  pre { white-space: pre-wrap; }
}
`

// The style sheet of the page: light and dark, wide and narrow.

export const styles = `
:root {
  color-scheme: light dark;
  --paper: #fdfdfb; --ink: #1c2125; --muted: #5a646d; --line: #dfe2dd; --tint: #f3f4f0;
  --accent: #0f766e; --second: #a05c00; --bad: #a8281e; --warn: #8a5710; --bad-tint: #fbe9e7; --warn-tint: #f6ecdc; --good-tint: #e3f1ee;
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", Arial, sans-serif;
  --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14171a; --ink: #e3e6e8; --muted: #9ba5ae; --line: #2f363b; --tint: #1c2125;
    --accent: #4db6a9; --second: #e0a458; --bad: #f08a80; --warn: #d9a860; --bad-tint: #3a1f1d; --warn-tint: #33291a; --good-tint: #16302d;
  }
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 var(--sans); font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
header, main { max-width: 84rem; margin: 0 auto; padding: 0 clamp(.75rem, 3vw, 2rem); }
header { display: flex; flex-wrap: wrap; align-items: baseline; gap: .25rem 1rem; border-top: 4px solid var(--accent); padding-top: 1rem; padding-bottom: 1rem; }
h1 { font-size: 1.25rem; font-weight: 650; margin: 0; letter-spacing: -.01em; }
h1 span { color: var(--muted); font-weight: 400; }
h2 { font-size: 1.125rem; font-weight: 650; margin: 0 0 .5rem; }
h3 { font-size: 1rem; font-weight: 600; margin: 1.25rem 0 .4rem; }
h2:focus { outline: none; }
p { margin: 0 0 .5rem; }
header p { margin: 0; color: var(--muted); }
header .state { margin-left: auto; }
.badge { font-size: .8125rem; padding: 0 .5rem; border-radius: 1rem; background: var(--warn-tint); color: var(--warn); }
[data-stale] .state { color: var(--bad); font-weight: 600; }
[data-stale] main { opacity: .6; }
section { margin: 0 0 2rem; }
.none { color: var(--muted); font-size: .9375rem; }
.chosen { border: 1px solid var(--line); border-radius: 8px; padding: 1rem clamp(.75rem, 2vw, 1.25rem); }
.chosen .head { display: flex; justify-content: space-between; gap: 1rem; align-items: start; }
.chosen h2 { font-size: 1.375rem; margin: 0; }
.facts { color: var(--muted); max-width: 60rem; }
.problem { background: var(--bad-tint); border-left: 3px solid var(--bad); padding: .4rem .75rem; }

button, input, select { font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--line); border-radius: 6px; padding: .3rem .7rem; min-height: 2.25rem; }
input[type=checkbox] { min-height: 0; vertical-align: -1px; }
button { cursor: pointer; }
button:hover { border-color: var(--muted); }
button.main { background: var(--accent); border-color: var(--accent); color: var(--paper); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.buttons, .tools { display: flex; flex-wrap: wrap; gap: .5rem; margin: .75rem 0; }
button.name { border: 0; padding: 0; min-height: 0; background: none; color: var(--accent); font-weight: 600; text-decoration: underline; text-underline-offset: 2px; text-align: left; overflow-wrap: anywhere; }
button.name[aria-current] { color: var(--ink); text-decoration-thickness: 3px; }

.scroll { overflow-x: auto; }
.tall { max-height: 26rem; overflow: auto; }
.tall thead th { position: sticky; top: 0; background: var(--paper); box-shadow: 0 1px var(--line); }
table { border-collapse: collapse; min-width: 100%; font-size: .9375rem; }
caption { text-align: left; color: var(--muted); font-size: .8125rem; padding: .25rem 0; }
.scroll:not(.absent, .tall) caption { position: absolute; clip-path: inset(50%); }
.scroll { position: relative; }
th { text-align: left; font-weight: 400; }
thead th { color: var(--muted); font-size: .8125rem; vertical-align: bottom; }
th, td { padding: .35rem 1rem .35rem 0; border-bottom: 1px solid var(--line); white-space: nowrap; vertical-align: baseline; }
th:last-child, td:last-child { padding-right: 0; }
th.num, td.num { text-align: right; }
tbody th:first-child { font-weight: 600; white-space: normal; min-width: 5rem; }
tbody td:empty::before { content: "-"; color: var(--muted); }
[data-tone=good] { color: var(--accent); }
[data-tone=warn] { color: var(--warn); }
[data-tone=bad] { color: var(--bad); font-weight: 600; }
.absent { margin-top: 1rem; }
.absent td[data-head=Why] { white-space: pre-wrap; min-width: 14rem; }
[aria-label=Queues] td:last-child { white-space: normal; min-width: 12rem; }
.spark { width: 90px; height: 22px; vertical-align: middle; overflow: visible; display: block; }

.span { margin: 1rem 0 .5rem; }
.charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 22rem), 1fr)); gap: 1rem 1.5rem; margin: 0 0 1rem; }
.chart { margin: 0; min-width: 0; }
figcaption { display: flex; flex-wrap: wrap; gap: 0 .75rem; align-items: baseline; min-height: 1.5rem; }
figcaption .title { font-weight: 600; }
figcaption .when, .limit-text { color: var(--muted); font-size: .8125rem; }
figcaption .when { margin-left: auto; }
.value-0 b { color: var(--accent); } .value-1 b { color: var(--second); }
.plot { position: relative; background: var(--tint); border-radius: 4px; height: 96px; touch-action: pan-y; cursor: crosshair; }
.plot svg { display: block; width: 100%; height: 100%; overflow: visible; }
.plot .top { position: absolute; top: 0; left: .4rem; color: var(--muted); font-size: .75rem; pointer-events: none; }
.line { fill: none; stroke-width: 1.75; vector-effect: non-scaling-stroke; stroke-linejoin: round; stroke-linecap: round; }
.line-0 { stroke: var(--accent); } .line-1 { stroke: var(--second); stroke-dasharray: 4 3; }
.limit { stroke: var(--muted); stroke-dasharray: 2 4; vector-effect: non-scaling-stroke; }
.cursor { stroke: var(--ink); vector-effect: non-scaling-stroke; }
details { margin: .75rem 0; }
summary { cursor: pointer; color: var(--accent); min-height: 2rem; padding: .25rem 0; }

.log, .events { list-style: none; margin: 0; padding: .5rem .75rem; max-height: 24rem; overflow: auto; background: var(--tint); border-radius: 6px; }
.log { font: .8125rem/1.5 var(--mono); }
.log li { white-space: pre-wrap; }
.log li[data-by=serve] { color: var(--muted); }
.log li[data-by=err] { color: var(--bad); }
.tools input { flex: 1 1 12rem; min-width: 0; }
.events li { padding: .2rem 0; }
.events time { color: var(--muted); }
.events .kind { display: inline-block; min-width: 5.5rem; font-size: .8125rem; color: var(--muted); }
.events li[data-tone] .kind { color: inherit; }
.events li[data-tone=good] { color: inherit; }
.events li[data-tone=bad] { color: var(--bad); font-weight: 400; }
.events li[data-tone=warn] { color: var(--warn); }
.events.without-instances li[data-kind=instance] { display: none; }
.events pre { font: .8125rem/1.45 var(--mono); white-space: pre-wrap; color: var(--ink); background: var(--bad-tint); border-left: 3px solid var(--bad); margin: .25rem 0; padding: .35rem .6rem; }
.profile { border-left: 3px solid var(--accent); padding-left: 1rem; margin: 1rem 0; }
.flame { display: block; min-width: 40rem; }
.flame svg { overflow: hidden; }
.flame rect { fill: var(--line); stroke: var(--paper); }
.flame .yours rect { fill: var(--good-tint); stroke: var(--accent); }
.flame text { font: 12px var(--sans); fill: var(--ink); }

dialog { border: 1px solid var(--line); border-radius: 10px; background: var(--paper); color: var(--ink); max-width: min(32rem, calc(100vw - 2rem)); padding: 1.25rem; }
dialog::backdrop { background: rgb(0 0 0 / .45); }
dialog label { display: grid; gap: .25rem; margin: 0 0 .75rem; }
dialog .buttons { justify-content: end; margin-bottom: 0; }
.good { color: var(--accent); } .bad { color: var(--bad); }
dialog p { white-space: pre-wrap; }

@media (max-width: 48rem) {
  main > section:first-child :is(table, tbody, caption) { display: block; min-width: 0; }
  main > section:first-child thead { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; }
  main > section:first-child tr { display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)); gap: .15rem .75rem; padding: .6rem 0; border-bottom: 1px solid var(--line); }
  main > section:first-child :is(th, td) { display: block; border: 0; padding: 0; text-align: left; white-space: normal; min-width: 0; }
  main > section:first-child tbody th { grid-column: 1 / -1; font-size: 1.0625rem; }
  main > section:first-child td::before { content: attr(data-head); display: block; color: var(--muted); font-size: .75rem; font-weight: 400; }
  main > section:first-child td:empty::before { content: attr(data-head); }
  main > section:first-child td[data-head=""]::before { content: none; }
  main > section:first-child td[data-head=Why] { grid-column: 1 / -1; }
  button.name { min-height: 2.25rem; }
  .events .kind { min-width: 0; }
}
`

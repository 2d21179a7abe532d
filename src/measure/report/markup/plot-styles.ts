// The style sheet of the plots.

export const plotStyles = `
svg { display: block; overflow: visible; }
svg text { font: 12px var(--sans); fill: var(--muted); font-variant-numeric: tabular-nums; }
svg.key { display: inline-block; vertical-align: -2px; flex: none; }
.inline { --c: var(--inline); } .concurrent { --c: var(--concurrent); }
.threads { --c: var(--threads); } .processes { --c: var(--processes); }
.bullmq { --c: var(--bullmq); }
.mark path { fill: var(--c); stroke: var(--paper); stroke-width: 1.2; }
.mark .ring { fill: none; stroke: var(--ink); stroke-width: 1.5; }
.grid { stroke: var(--grid); } .base { stroke: var(--muted); stroke-opacity: .5; }
.keys { list-style: none; display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin: 0 0 1rem; padding: 0; font-size: .875rem; }

.forest ul { list-style: none; margin: 0; padding: 0; }
.forest h4 { margin-top: 1.25rem; }
.row { display: grid; grid-template-columns: 11rem minmax(0, 1fr) 9.5rem 6.25rem; column-gap: 1.25rem; align-items: center; font-size: .9375rem; }
.row.advised .who, .row.advised b { font-weight: 700; }
.who { display: flex; align-items: center; gap: .5rem; min-width: 0; }
.who span { overflow-wrap: anywhere; }
.figures { display: flex; gap: .75rem; white-space: nowrap; }
.figures b { font-weight: 500; min-width: 2.75rem; text-align: right; }
.interval { color: var(--muted); }
.row .badge { justify-self: start; }
.row .failure { font-size: .875rem; padding: .25rem 0; line-height: 1.4; }
.track { position: relative; align-self: stretch; min-height: 30px; }
.track svg { position: absolute; top: 0; left: 0; width: 100%; height: 100%; }
.axis .track { min-height: 20px; }
.band { fill: var(--tint); } .one { stroke: var(--muted); stroke-width: 1; }
.whisker { stroke: var(--c); stroke-width: 2; fill: none; }
.axis { color: var(--muted); font-size: .8125rem; border-top: 0; }

.matrix { border-spacing: 3px; border-collapse: separate; margin-left: -3px; }
.matrix th[scope=row] { padding: .3rem 1rem .3rem 0; white-space: nowrap; }
.matrix thead th { text-align: center; font-weight: 600; padding: .2rem .5rem .4rem; white-space: nowrap; }
.matrix tbody td { min-width: 9rem; height: 2.6rem; text-align: center; padding: .2rem .5rem; border-radius: 3px; background-color: var(--tint); line-height: 1.2; white-space: nowrap; }
.matrix b { font-weight: 600; }
.matrix small { font-size: .8125rem; margin-left: .2rem; opacity: .85; }
.matrix td.none { background: none; color: var(--muted); border: 1px solid var(--line); }
.matrix .corner { white-space: nowrap; color: var(--muted); font-size: .8125rem; padding-right: 1rem; }
.heat tbody td { min-width: 4.5rem; }
.sample { display: inline-block; padding: 0 .5rem; border-radius: 3px; color: var(--ink); background-color: var(--tint); }
.matrix .f1, .sample.f1 { background-color: rgba(var(--f), .14); } .matrix .f2 { background-color: rgba(var(--f), .26); }
.matrix .f3, .sample.f3 { background-color: rgba(var(--f), .4); } .matrix .f4 { background-color: rgba(var(--f), .55); }
.matrix .s1 { background-color: rgba(var(--s), .14); } .matrix .s2 { background-color: rgba(var(--s), .26); }
.matrix .s3, .sample.s3 { background-color: rgba(var(--s), .4); } .matrix .s4 { background-color: rgba(var(--s), .55); }
.hatch { background-image: repeating-linear-gradient(135deg, var(--hatch) 0 1.5px, transparent 1.5px 8px); }
.pickbox { box-shadow: inset 0 0 0 2px var(--ink); }
.heat tbody td { background-color: rgba(var(--f), var(--a)); }
.h0 { --a: .05; } .h1 { --a: .12; } .h2 { --a: .19; } .h3 { --a: .26; } .h4 { --a: .33; }
.h5 { --a: .4; } .h6 { --a: .47; } .h7 { --a: .54; } .h8 { --a: .6; }
.heat tbody td.predicted { background-color: rgba(var(--f), calc(var(--a) * .45)); }
.matrix td.predicted, .sample.predicted { border: 1px dashed var(--muted); font-style: italic; }

.panels { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 17rem), 1fr)); gap: .5rem 2rem; }
.panel { max-width: 30rem; min-width: 0; }
.plot { display: grid; grid-template-columns: 4rem minmax(0, 1fr); padding-right: 1rem; }
.y-title { grid-column: 1 / -1; margin: 0 0 .6rem; color: var(--muted); font-size: .8125rem; }
.x-title { grid-column: 2; margin: .2rem 0 0; color: var(--muted); font-size: .8125rem; text-align: right; }
.y-axis, .area { width: 100%; }
.flame svg { overflow: hidden; }
.flame rect { fill: var(--tint); stroke: var(--paper); stroke-width: 1; }
.flame .yours rect { fill: rgba(var(--f), .4); }
.flame .name { fill: var(--ink); }
.busy { fill: var(--accent); }
svg text.size { fill: var(--ink); font-weight: 600; }
.unmeasured { fill: var(--tint); }
.path { stroke: var(--c); stroke-width: 1.5; }
.cone { fill: var(--c); fill-opacity: .16; stroke: var(--c); stroke-opacity: .55; vector-effect: non-scaling-stroke; }
.cone.guess { fill-opacity: .07; stroke-dasharray: 4 4; }
.reach { stroke: var(--c); stroke-width: 3; stroke-linecap: round; }

.bars { list-style: none; margin: 0; padding: 0; }
.bars li { display: grid; grid-template-columns: 11rem minmax(0, 1fr) 12rem; column-gap: 1.25rem; align-items: center; padding: .3rem 0; font-size: .9375rem; }
.bars .figures b { min-width: 4.75rem; }
.bar rect { fill: var(--c); fill-opacity: .8; stroke: var(--paper); stroke-width: 1.5; }
.rounds rect { fill: var(--inline); fill-opacity: .55; }
.rounds { max-width: 16rem; }

.gantt { max-width: 60rem; }
.gantt ul { list-style: none; margin: 0; padding: 0; }
.gantt li, .gantt-axis { display: grid; grid-template-columns: 8rem minmax(0, 1fr); column-gap: 1rem; padding-right: 1.5rem; font-size: .8125rem; }
.gantt li { border-bottom: 1px solid var(--line); }
.gantt .who { align-self: start; }
.lane { width: 100%; }
.work { fill: var(--threads); fill-opacity: .75; stroke: var(--paper); }

@media (max-width: 46rem) {
  .gantt li, .gantt-axis { grid-template-columns: 6rem minmax(0, 1fr); column-gap: .5rem; }
  .row { grid-template-columns: minmax(0, 1fr) auto 4.9rem; column-gap: .5rem; padding: .35rem 0; font-size: .875rem; }
  .row .figures { gap: .4rem; }
  .row .badge { font-size: .75rem; padding-inline: .4rem; }
  .row .badge.baseline { padding-inline: 0; }
  .row .who { gap: .35rem; }
  .row .track, .row .failure { grid-column: 1 / -1; grid-row: 2; }
  .row .figures b { min-width: 0; }
  .axis .who { display: none; }
  .bars li { grid-template-columns: minmax(0, 1fr) auto; padding: .4rem 0; row-gap: .3rem; }
  .bars .bar { grid-column: 1 / -1; grid-row: 2; }
  .bars .figures { flex-direction: row-reverse; }
  .bars .figures b { min-width: 0; }
  .matrix th[scope=row] { padding-right: .4rem; font-size: .875rem; }
  .matrix tbody td { min-width: 4.25rem; padding: .2rem .1rem; }
  .matrix thead th { padding-inline: .1rem; font-size: .8125rem; }
  .matrix small { display: block; margin: 0; font-size: .75rem; }
  .heat tbody td { min-width: 3.75rem; }
  .plot { grid-template-columns: 3.5rem minmax(0, 1fr); }
}
`

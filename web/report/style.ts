/** Rules that the report adds to the look of all pages: figures in columns, bars in cells, and colours of states. */

import { Html } from "../html.ts";

/** Colours are told apart by lightness too, so that they can be told apart in print and by everyone. */
export const REPORT_STYLE = new Html(`
:root { --passed: #0b5a6e; --absent: #d9822b; --missing: #9aa7b0; --failed: #b3261e; --unsupported: #e3e8eb; --hidden: #c9b458;
  --good: #1f6b33; --bad: #a3281f; --then: #a3281f }
@media (prefers-color-scheme: dark) { :root { --passed: #74c7da; --absent: #d98f45; --missing: #66747e; --failed: #f08a80; --unsupported: #27313a;
  --hidden: #8f8033; --good: #8fd19e; --bad: #f2a49c; --then: #f2a49c } }
.report { max-width: 66rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem }
.report > h1 { font-size: 2.1rem; margin-top: 1rem } .report .lead { max-width: 52rem; margin-top: .4rem }
.report section { margin-top: 3rem } .report h2 { font-size: 1.5rem; border-bottom: 2px solid var(--line); padding-bottom: .35rem }
.report h3 { font-size: 1.15rem; margin-top: 2rem } .report section > p { max-width: 46rem; color: var(--faint) }
.verdict { display: inline-block; margin-top: 1rem; padding: .35rem .9rem; border-radius: 1rem; border: 1.5px solid; font-weight: 650 }
.verdict.good { color: var(--good) } .verdict.bad { color: var(--bad) }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(10.5rem, 1fr)); gap: .75rem; margin-top: 1.5rem }
.tiles div { border: 1px solid var(--line); border-radius: .5rem; padding: .7rem .9rem } .tiles dt { color: var(--faint); font-size: .875rem }
.tiles dd { margin: .1rem 0 0; font-size: 1.5rem; font-weight: 650; font-variant-numeric: tabular-nums } .tiles small { font-size: .875rem; font-weight: 400; color: var(--faint); display: block }
.wide { overflow-x: auto } table { border-collapse: collapse; width: 100%; font-size: .9375rem; font-variant-numeric: tabular-nums }
caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap }
th, td { padding: .38rem .75rem .38rem 0; border-bottom: 1px solid var(--line); text-align: right; vertical-align: middle } th:first-child, td.text { text-align: left }
thead th { font-size: .8125rem; color: var(--faint); font-weight: 600; vertical-align: bottom } tbody th { font-weight: 500 } td:last-child, th:last-child { padding-right: 0 }
tbody th small, td small { display: block; color: var(--faint); font-weight: 400; font-size: .8125rem } .none { color: var(--faint) }
.left td, .left thead th, .wide.text td:last-child, .wide.text thead th:last-child { text-align: left } .wide.text td:last-child { padding-left: 1rem } .wide.text thead th:last-child { padding-left: 1rem } .ok { color: var(--good) } .no { color: var(--bad); font-weight: 650 }
svg.bar { display: block; width: 15rem; height: .875rem; margin-left: auto; border-radius: .15rem } svg.chart { width: 100%; height: auto; max-width: 46rem; display: block }
.track { fill: var(--unsupported) } .passed, .scored, .gained, .now { fill: var(--passed) } .absent, .superseded { fill: var(--absent) } .source_missing, .notDataset { fill: var(--missing) }
.failed { fill: var(--failed) } .not_evaluable, .duplicates { fill: var(--hidden) } .unsupported { fill: var(--unsupported) } .tombstones { fill: var(--ink) } .lost { fill: var(--bad) }
.axis { stroke: var(--line); fill: none } .steps { stroke: var(--then); stroke-width: 2; fill: none } .way { stroke: var(--faint); stroke-width: 2 } circle.before { fill: var(--ground); stroke: var(--then); stroke-width: 1.6 } circle.after { fill: var(--passed) }
text { font: 12px system-ui, "Segoe UI", Roboto, sans-serif; fill: var(--ink); text-anchor: middle } text.tick { fill: var(--faint) }
.key { font-size: .875rem; color: var(--faint); margin-right: 1rem; white-space: nowrap } .keys { margin-top: .75rem } .swatch { display: inline-block; width: .8rem; height: .8rem; border-radius: .15rem; vertical-align: -.08rem; border: 1px solid var(--line) }
i.swatch.passed, i.swatch.scored, i.swatch.now, i.swatch.gained { background: var(--passed) } i.swatch.absent, i.swatch.superseded { background: var(--absent) } i.swatch.source_missing, i.swatch.notDataset { background: var(--missing) }
i.swatch.failed { background: var(--failed) } i.swatch.not_evaluable, i.swatch.duplicates { background: var(--hidden) } i.swatch.unsupported { background: var(--unsupported) } i.swatch.tombstones { background: var(--ink) } i.swatch.lost { background: var(--bad) }
i.swatch.then { background: none; border: 0; border-top: 2px solid var(--then); height: 0; vertical-align: .25rem } i.swatch.hollow { background: var(--ground); border: 2px solid var(--then); border-radius: 50% } i.swatch.full { background: var(--passed); border-radius: 50% }
details { margin-top: .75rem } summary { cursor: pointer; color: var(--accent) } .digest { font-family: var(--mono); font-size: .8125rem; overflow-wrap: anywhere }
.facts { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .35rem 1.25rem } .facts dt { color: var(--faint) } .facts dd { margin: 0; overflow-wrap: anywhere }
@media (max-width: 40rem) { svg.bar { width: 8rem } .facts { grid-template-columns: 1fr } .facts dd { margin-bottom: .5rem } }
@media print { :root { --passed: #0b5a6e; --good: #000; --bad: #000 } .report { max-width: none; padding: 0 } .report section { break-inside: auto } figure, tr { break-inside: avoid } thead { display: table-header-group } .wide { overflow: visible } svg, .swatch { print-color-adjust: exact } details::details-content { content-visibility: visible } }
`);

/**
 * The style sheet of all documents, for light and dark mode, screens from 320 px, and print. It loads no fonts or images.
 * The site links to it; standalone documents contain it.
 */

import { hash } from "node:crypto";
import { DATASET_TIERS } from "../../api-static/pages/badge.ts";

/**
 * Text has a contrast of at least 4.5:1, and edges of controls of 3:1 (WCAG 2.2, 1.4.3 and 1.4.11). Colours of charts also
 * differ in lightness, for print and for colour-blind readers.
 */
const RULES = `
:root { color-scheme: light dark; --ground: #fff; --soft: #f4f6f7; --ink: #1b2228; --faint: #55616b; --line: #d9dfe3;
  --edge: #6b7780; --good: #1d6b35; --bad: #a3301a; --unknown: #55616b; --soft-good: #e5f3e9; --soft-bad: #fbe9e4;
  --bar: #0b5a6e; --cap: #7a4a00; --card: #fff;
  --absent: #d9822b; --missing: #9aa7b0; --failed: #b3261e; --unsupported: #e3e8eb; --unjudged: #c9b458;
  --accent: #0b5a6e; --on-accent: #fff; --post: #7a4a00; --string: #1f6b33; --number: #7b2f8c; --word: #a33a12;
  --mono: ui-monospace, "Cascadia Mono", "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
@media (prefers-color-scheme: dark) { :root { --ground: #11161a; --soft: #1a2127; --ink: #e4e9ec; --faint: #a2afb8;
  --line: #2f3a42; --edge: #8494a0; --good: #8fd19e; --bad: #f2a482; --unknown: #a2afb8;
  --soft-good: #16301e; --soft-bad: #3a1d14; --bar: #74c7da; --cap: #f0b866; --card: #141b20;
  --absent: #d98f45; --missing: #66747e; --failed: #f08a80; --unsupported: #27313a; --unjudged: #8f8033;
  --accent: #74c7da; --on-accent: #06222a; --post: #f0b866; --string: #8fd19e; --number: #d9a5e6; --word: #f2a482 } }
* { box-sizing: border-box }
html { scroll-padding-top: 1rem; -webkit-text-size-adjust: 100% }
body { margin: 0; background: var(--ground); color: var(--ink); font: 1rem/1.55 system-ui, "Segoe UI", Roboto, sans-serif;
  overflow-wrap: break-word }
h1, h2, h3, h4 { line-height: 1.25; text-wrap: balance; margin: 0 }
p, ul, dl, table, pre, figure { margin: .75rem 0 0 }
a { color: var(--accent); text-underline-offset: .15em; text-decoration-thickness: .06em }
a:hover { text-decoration-thickness: .14em }
:focus-visible { outline: .18rem solid var(--accent); outline-offset: .15rem; border-radius: .15rem }
code, pre { font-family: var(--mono); font-size: .875em }
:not(pre) > code { background: var(--soft); border-radius: .25rem; padding: .08em .3em }
pre { background: var(--soft); border: 1px solid var(--line); border-radius: .5rem; padding: .75rem .9rem; overflow: auto; white-space: pre-wrap;
  overflow-wrap: anywhere;
  max-height: 27rem; line-height: 1.5; tab-size: 2 }
pre .k { color: var(--accent) } pre .s { color: var(--string) } pre .n { color: var(--number) } pre .w { color: var(--word) }
.skip { position: absolute; left: -99rem } .skip:focus { left: 1rem; top: 1rem; background: var(--ground); padding: .5rem 1rem; z-index: 1 }
.lead { font-size: 1.125rem; color: var(--faint); max-width: 44rem }
.links { list-style: none; padding: 0; display: grid; grid-template-columns: repeat(auto-fit, minmax(15rem, 1fr)); gap: .6rem;
  margin-top: 1.5rem }
.links li { border: 1px solid var(--line); border-radius: .5rem; padding: .7rem .9rem }
.page .links h3 { margin-top: 0 } .links p { margin-top: .3rem } .links > li > a { font-weight: 600 } .links span { display: block; color: var(--faint) }
footer { margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--line); color: var(--faint); font-size: .875rem }
.bar-top { border-bottom: 1px solid var(--line) }
.bar-top > div, .bottom > div, .page { max-width: 70rem; margin: 0 auto; padding: 0 1.25rem }
.bar-top > div { display: flex; align-items: center; gap: .5rem .9rem; padding-top: .45rem; padding-bottom: .45rem; position: relative; min-height: 3.65rem }
.mark { display: flex; align-items: center; gap: .5rem; font-weight: 700; font-size: 1.1rem; color: var(--ink); text-decoration: none; letter-spacing: .06em }
.mark svg { width: 1.6rem; height: 1.6rem; display: block }
.bar-top form { flex: 1 1 8rem; min-width: 0; max-width: 22rem; position: relative } .bar-top input { padding-right: 2.6rem; text-overflow: ellipsis } .bar-top form button { position: absolute; right: 0; top: 0; border: 0; padding: 0; width: 2.75rem; display: grid; place-items: center } .bar-top form svg { width: 1.15rem; fill: none; stroke: currentColor; stroke-width: 2; stroke-linecap: round }
.bar-top nav { margin: 0 0 0 auto } .bar-top nav:popover-open { position: absolute; inset: 3.6rem .75rem auto auto; margin: 0; padding: .5rem 0; min-width: 13rem; background: var(--card); color: inherit; border: 1px solid var(--edge); border-radius: .4rem; box-shadow: 0 .5rem 1.5rem rgb(0 0 0 / .18) }
.bar-top nav ul { display: flex; gap: 0 .2rem; list-style: none; margin: 0; padding: 0 } .bar-top nav:popover-open ul { flex-direction: column } .bar-top nav:popover-open a { padding: .6rem 1.1rem; border-radius: 0 }
.bar-top nav a { display: block; padding: .35rem .5rem; color: var(--ink); text-decoration: none; border-radius: .3rem; white-space: nowrap } .bar-top nav li:last-child a { padding-right: 0 }
.bar-top nav a:hover { text-decoration: underline } .bar-top nav a[aria-current] { font-weight: 700; color: var(--accent); box-shadow: inset 0 -.14rem var(--accent); border-radius: 0 }
.bar-top .menu { margin-left: auto; flex: none } .bar-top nav:popover-open a[aria-current] { box-shadow: inset .2rem 0 var(--accent) }
@media (min-width: 66rem) { .bar-top .menu { display: none } .bar-top nav[popover]:not(:popover-open) { display: block; position: static; border: 0; padding: 0; width: auto; height: auto; background: none; color: inherit; overflow: visible } }
body { min-height: 100vh; display: flex; flex-direction: column } .page { width: 100%; flex: 1 0 auto; padding-top: 1.75rem; padding-bottom: 3.5rem }
.page:focus { outline: none }
.page h1 { font-size: clamp(1.6rem, 1.2rem + 1.6vw, 2.2rem); max-width: 50rem; text-wrap: pretty; overflow-wrap: anywhere; letter-spacing: -.01em }
.page h2 { font-size: 1.35rem; margin-top: 2.75rem } .page h3 { font-size: 1.08rem; margin-top: 1.5rem } .page h4 { margin-top: 1rem } .page h3 + h4 { margin-top: .4rem }
.page p, .page li, .page dd { max-width: 46rem }
.crumbs { margin: 0 0 .75rem; font-size: .9rem } .crumbs a { display: inline-block; padding: .15rem 0; max-width: 100%; overflow-wrap: anywhere }
.muted { color: var(--faint) } .small { font-size: .9rem } .num { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
.bottom { border-top: 1px solid var(--line); background: var(--soft); color: var(--faint); font-size: .9rem; margin: 0; padding: 0 }
.bottom > div { padding-top: 1.25rem; padding-bottom: 2rem } .bottom ul { display: flex; flex-wrap: wrap; gap: .2rem 1.25rem; list-style: none; padding: 0; margin: 0 }
.bottom li a { display: inline-block; padding: .2rem 0 }
label, legend { font-weight: 600; display: block } label + input, label + select, label + textarea { margin-top: .3rem } fieldset { border: 0; padding: 0; margin: 1rem 0 0; min-width: 0 }
.error { display: block; color: var(--bad); font-weight: 600; font-size: .92rem; margin: .15rem 0 .3rem } [aria-invalid=true] { border: 2px solid var(--bad) }
.hint { display: block; color: var(--faint); font-size: .92rem; margin: .15rem 0 .3rem; font-weight: 400 }
input, select, textarea { font: inherit; color: inherit; background: var(--ground); border: 1px solid var(--edge); border-radius: .35rem; padding: .5rem .65rem;
  max-width: 100%; min-height: 2.75rem }
input[type=checkbox] { min-height: 0; width: 1.35rem; height: 1.35rem; vertical-align: middle; accent-color: var(--accent); margin-right: .4rem }
textarea { width: 100%; min-height: 7rem } input[type=text], input[type=search], input[type=email], input[type=url] { width: 100% } input[type=file] { width: 100%; padding: .4rem .5rem }
input::file-selector-button { font: inherit; font-weight: 600; color: var(--accent); background: transparent; border: 1px solid var(--accent); border-radius: .3rem; padding: .2rem .7rem; margin-right: .7rem; cursor: pointer }
[hidden] { display: none !important } button, .button { font: inherit; font-weight: 600; padding: .55rem 1.15rem; min-height: 2.75rem; border: 1px solid var(--accent); border-radius: .35rem; cursor: pointer;
  background: var(--accent); color: var(--on-accent); text-decoration: none; display: inline-block }
button.quiet, .button.quiet { background: transparent; color: var(--accent) } button.danger { background: var(--bad); border-color: var(--bad); color: var(--ground) }
td form.row { display: flex; flex-wrap: nowrap; align-items: center; gap: .5rem } td form.row input { min-height: 2rem; min-width: 8rem; padding: .15rem .5rem; margin: 0 } td form.row button { white-space: nowrap } td button, td .button { min-height: 2rem; padding: .2rem .7rem; font-size: .92rem }
button:hover, .button:hover { text-decoration: underline }
[role=status]:empty, [role=alert]:empty { display: none } button:disabled { cursor: progress; opacity: .6 }
main form { margin-top: 1.25rem } main form.inline { margin-top: 0 }
form .row { display: flex; gap: .75rem; flex-wrap: wrap; align-items: end } form .row > div { max-width: 100% } form .row > .grow { flex: 1 1 16rem; min-width: 0; position: relative } .grow select { width: 100% } details .row > div { flex: 0 1 8rem } details .row > div:last-child { flex-basis: 13rem }
.fields { display: grid; grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr)); gap: 0 .75rem } .fields > div { display: grid; grid-row: span 4; grid-template-rows: subgrid; margin-top: .75rem; align-items: start } .fields :is(input, select) { grid-row: 3; width: 100% } .fields .error { grid-row: 4 } .fields:has(.hint) label + select { margin-top: 0 } .fields label + .error + input { margin-top: .3rem } form p { margin: 1.1rem 0 0 } form p + details { margin-top: 1.25rem } form.inline { display: inline } p + form.inline { display: block; margin-top: .7rem }
.panel { margin-top: 1.5rem; padding: 1.1rem 1.4rem 1.4rem; background: var(--card); border: 1px solid var(--line); border-radius: .6rem } .panel > :first-child { margin-top: 0 }
.halves { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(22rem, 100%), 1fr)); gap: 0 1.5rem } .halves > div { margin-top: 1.1rem } .panel form { margin-top: .75rem } .panel form p { max-width: none } .panel form > :is(.row, details) { margin-top: 1.1rem } .brief textarea { min-height: 4.6rem; display: block }
.hero::before { content: ""; position: absolute; inset: 0; z-index: -1; background: var(--soft); box-shadow: 0 0 0 100vmax var(--soft); clip-path: inset(0 -100vmax) } .hero { position: relative; z-index: 1; margin-top: -1.75rem; padding: 2.75rem 0 2.5rem; display: grid; grid-template-columns: minmax(0, 1fr) 24rem; gap: 1.5rem 3rem; align-items: center }
.hero h1 { font-size: clamp(1.9rem, 1.3rem + 2.4vw, 2.9rem) } .hero .panel { margin: 0 } .hero form { margin-top: 1.5rem } .hero form input { background: var(--card) } .hero .panel h2 { font-size: 1.05rem; margin: 0 }
.find { margin-top: 1.5rem; max-width: 50rem }
.suggestions { position: absolute; z-index: 2; left: 0; right: 0; top: 100%; margin: .25rem 0 0; padding: .3rem 0; list-style: none; background: var(--card); border: 1px solid var(--edge); border-radius: .4rem; box-shadow: 0 .5rem 1.5rem rgb(0 0 0 / .18); max-height: min(30rem, 75vh); overflow: auto; font-weight: 400 } .bar-top .suggestions { min-width: min(24rem, 100vw - 5rem) }
.suggestions span { display: block; padding: .4rem .8rem .1rem; color: var(--faint); font-size: .85rem; font-weight: 600 } .suggestions [role=option] { padding: .4rem .8rem; cursor: pointer; overflow-wrap: anywhere } .suggestions small { display: block; color: var(--faint) } .suggestions [role=option]:is(:hover, [aria-selected=true]) { background: var(--soft); box-shadow: inset .25rem 0 var(--accent) }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); gap: .75rem 2rem; margin: 1.75rem 0 0; padding: 0; list-style: none }
.figures li { border-top: .2rem solid var(--bar); padding: .6rem 0 0 } .figures b { display: block; font-size: 1.9rem; font-variant-numeric: tabular-nums; line-height: 1.2; letter-spacing: -.01em }
.five { counter-reset: five; list-style: none; padding: 0 } .five li { counter-increment: five; padding-left: 2.4rem; position: relative; margin-top: .7rem }
.five li::before { content: counter(five); position: absolute; left: 0; top: .05rem; width: 1.6rem; height: 1.6rem; border-radius: 50%; background: var(--accent); color: var(--on-accent);
  text-align: center; line-height: 1.6rem; font-weight: 700; font-size: .9rem }
.table { overflow-x: auto; margin-top: 1rem; background: linear-gradient(to left, var(--ground) 40%, transparent) right / 2rem 100% no-repeat local, linear-gradient(to left, var(--edge), transparent) right / .4rem 100% no-repeat scroll } .few { max-width: 34rem } .table:focus-visible { outline-offset: .2rem }
table { border-collapse: collapse; width: 100%; font-size: .97rem } caption { text-align: left; color: var(--faint); padding-bottom: .4rem }
th, td { text-align: left; vertical-align: top; padding: .5rem 1.1rem .5rem 0; border-bottom: 1px solid var(--line) } th:last-child, td:last-child { padding-right: 0 } th { font-weight: 600 } thead th { vertical-align: bottom; border-bottom: 2px solid var(--line) } td { overflow-wrap: anywhere; min-width: 4rem }
td.num, th.num { text-align: right; overflow-wrap: normal; width: 1% } th.num { white-space: normal; min-width: 5.5rem } td.bar { min-width: 7rem; width: 24%; vertical-align: middle } tbody th { font-weight: 400; min-width: 12rem; overflow-wrap: anywhere } tbody tr:hover { background: var(--soft) }
.sort { background: none; border: 0; color: inherit; padding: .2rem 0; margin: -.2rem 0; min-height: 1.6rem; text-align: inherit; border-radius: .2rem; text-decoration: none; display: inline-block } .sort::after { content: "\\2195"; color: var(--faint); margin-left: .3rem; font-weight: 400 } [aria-sort=ascending] .sort::after { content: "\\2191"; color: var(--accent) } [aria-sort=descending] .sort::after { content: "\\2193"; color: var(--accent) }
.rows { list-style: none; padding: 0; margin: 1rem 0 0 } .page .rows > li { border-top: 1px solid var(--line); padding: .9rem 0; display: grid; grid-template-columns: 5rem minmax(0, 1fr); gap: .2rem 1.25rem; max-width: none }
.rows h3 { font-size: 1.05rem; margin: 0; font-weight: 600; overflow-wrap: anywhere } .rows p { margin: .2rem 0 0 }
.rows div > .meter { max-width: 24rem; height: .8rem; margin: .3rem 0 } .figure { font-size: 1.5rem; font-weight: 700; font-variant-numeric: tabular-nums; line-height: 1.2 } .figure small { display: block; font-size: .8rem; font-weight: 400; color: var(--faint) } .figure .meter { height: .45rem; margin-top: .35rem }
.select { display: inline-block; width: 2.1rem; margin: -.3rem 0 -.3rem -2.1rem; padding: .3rem 0; cursor: pointer } .select input { margin: 0 } .table.cards th:has(> .select) { padding-left: 2.1rem }
.selected { display: flex; flex-wrap: wrap; gap: .4rem 1rem; align-items: center; padding: .6rem 0; background: var(--ground) } .table:has(:checked) + .selected { position: sticky; bottom: 0; z-index: 1; border-top: 1px solid var(--line) } html:has(.select :checked) { scroll-padding-bottom: 6rem }
.score { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 1.5rem 3rem; align-items: start; margin-top: 1.75rem } .panel h2 { font-size: 1.2rem } .first { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(18rem, 100%), 1fr)); gap: 0 1.5rem } .figure .band { font-size: .75rem; padding: 0 .5rem; display: table } .num > .band { font-size: .8rem; padding: 0 .5rem } .num > .meter { height: .6rem } .score .band { vertical-align: .35rem; margin-left: .4rem } .score > div > :first-child { margin-top: 0 } .score .big { font-size: 4.5rem; line-height: 1; font-weight: 700; font-variant-numeric: tabular-nums; letter-spacing: -.03em }
.score .of { font-size: 1.3rem; color: var(--faint); margin-left: .25rem } .figures + .meter { margin-top: 1.25rem } svg.meter { width: 100%; height: 1.1rem; display: block; overflow: visible } .score > div > .meter { margin-top: .8rem }
.meter .back { fill: var(--line) } .meter .fill { fill: var(--bar) } .meter .pale { fill: var(--bar); opacity: .35 } .meter .cap { stroke: var(--cap); stroke-width: 3; vector-effect: non-scaling-stroke } .meter .dot.halo { stroke: var(--ground); stroke-width: 14px } .meter .dot.mean { stroke: var(--cap) } .meter .reach { fill: none; stroke: var(--ink); stroke-width: 1.5; vector-effect: non-scaling-stroke }
.meter .axis { stroke: var(--line); fill: none; vector-effect: non-scaling-stroke } .meter .way { stroke: var(--faint); stroke-width: 2; vector-effect: non-scaling-stroke }
.meter .dot { stroke: var(--bar); stroke-width: 9px; stroke-linecap: round; vector-effect: non-scaling-stroke } .meter .dot.before { stroke: var(--bad) } .meter .dot.hole { stroke: var(--ground); stroke-width: 5px }
.meter .part, .swatch { fill: currentColor } .swatch { display: inline-block; width: .8rem; height: .8rem; border-radius: .15rem; border: 1px solid var(--line); background: currentColor }
:is(.part, .swatch):is(.passed, .scored, .gained, .now) { color: var(--bar) } :is(.part, .swatch):is(.absent, .superseded) { color: var(--absent) } :is(.part, .swatch):is(.source_missing, .notDataset) { color: var(--missing) }
:is(.part, .swatch).failed { color: var(--failed) } :is(.part, .swatch):is(.not_evaluable, .duplicates) { color: var(--unjudged) } :is(.part, .swatch).insufficient { color: var(--faint) } :is(.part, .swatch).unsupported { color: var(--unsupported) } :is(.part, .swatch).tombstones { color: var(--ink) } :is(.part, .swatch).lost { color: var(--bad) }
.swatch.before { color: var(--bad); height: 0; border-width: 2px 0 0; border-color: currentColor } .swatch.hollow { background: none; border: 2px solid var(--bad); border-radius: 50% } .swatch.full { color: var(--bar); border-radius: 50% } .chart .before { fill: none; stroke: var(--bad); stroke-width: 2 }
svg.chart { width: 100%; max-width: 44rem; height: auto; display: block; margin-top: 1rem } .chart text { fill: var(--faint); font-size: 12px } .chart .axis { stroke: var(--edge); fill: none } .chart .line { stroke: var(--bar); stroke-width: 2.5; fill: none }
.chart .drop { stroke: var(--bar); stroke-width: 1; stroke-dasharray: 2 3; fill: none } .chart .same { stroke: var(--cap); stroke-width: 1.5; stroke-dasharray: 5 4; fill: none } .chart .fill { fill: var(--bar) } .chart .point { fill: var(--bar) } .chart .said { fill: var(--ink); font-weight: 600; paint-order: stroke; stroke: var(--ground); stroke-width: 4px }
.buckets { list-style: none; padding: 0; margin: 1.25rem 0 0; display: grid; gap: .55rem; max-width: 44rem } .page .buckets li { display: grid; grid-template-columns: 7.5rem minmax(0, 1fr) 4.2rem; gap: .25rem .9rem; align-items: center; max-width: none; margin: 0 } .hero .buckets { gap: .4rem; margin-top: .8rem } .page :is(.hero, .beside) .buckets li { grid-template-columns: 7.5rem minmax(0, 1fr) 5.4rem }
.matrix { list-style: none; padding: 0; margin: 1.5rem 0 0 } .page .matrix > li { display: grid; grid-template-columns: 7.5rem minmax(5rem, 7rem) 6.6rem minmax(0, 1fr); gap: .3rem .9rem; align-items: center; max-width: none; padding: .3rem 0; border-top: 1px solid var(--line) } .matrix > li > .cells:nth-child(2) { grid-column: 2 / -1 }
.cells { display: grid; grid-template-columns: repeat(5, minmax(0, 1fr)); gap: .35rem; list-style: none; padding: 0; margin: 0 } .page .cells li { margin: 0; display: grid; min-width: 0 }
.cells a { display: flex; gap: .35rem; min-width: 0; align-items: center; border: 2px solid var(--edge); border-radius: .35rem; padding: .3rem .4rem; min-height: 2.75rem; text-decoration: none; font-weight: 700; color: var(--ink); line-height: 1.15 } .cells a:hover { outline: 2px solid var(--accent); outline-offset: 1px }
.cells small { font-weight: 400; font-size: .78rem; min-width: 0; overflow-wrap: anywhere; hyphens: auto } .cells .none a { border-style: dashed; background: var(--soft) } .cells .passed a { background: var(--soft-good); border-color: var(--good) } .cells .absent a { background: var(--soft-bad); border-color: var(--bad) }
.legend { display: flex; flex-wrap: wrap; gap: .2rem 1rem; list-style: none; padding: 0; margin: .75rem 0 0; font-size: .87rem; color: var(--faint) }
.band { display: inline-block; color: #fff; font-weight: 600; font-size: .9rem; line-height: 1.4; border-radius: 1rem; padding: .1rem .7rem; white-space: nowrap } ${DATASET_TIERS.map(({ name, color }) => `.band.${name} { background: ${color} }`).join(" ")}
.signed-in { display: flex; flex-wrap: wrap; gap: .25rem 1rem; align-items: center; justify-content: space-between } .signed-in p { margin: 0; overflow-wrap: anywhere } .page .signed-in form { margin: 0 } .signed-in button { padding: .55rem .8rem; font-size: .93rem }
.parts { margin: .75rem 0 1.75rem; border-bottom: 1px solid var(--line) } .parts ul { display: flex; flex-wrap: wrap; gap: 0 clamp(.6rem, 3vw, 1.5rem); list-style: none; margin: 0; padding: 0; font-size: .95rem } .parts a { display: block; padding: .6rem 0; min-width: 1.75rem; text-decoration: none; color: var(--ink) } .parts a:hover { text-decoration: underline } .parts a[aria-current] { font-weight: 700; color: var(--accent); box-shadow: inset 0 -.14rem var(--accent) }
.tabs { display: flex; flex-wrap: wrap; margin-top: .75rem; max-width: 50rem } .tabs legend { float: left; width: 100%; color: var(--faint); font-weight: 400; font-size: .9rem } .tabs > input { position: absolute; opacity: 0 } .tabs > label { padding: .5rem .9rem; border: 1px solid var(--line); border-width: 1px 1px 0 0; cursor: pointer; font-weight: 400; min-height: 2.75rem } .tabs > label:first-of-type { border-left-width: 1px } .tabs > input:checked + label { font-weight: 700; color: var(--accent); box-shadow: inset 0 -.14rem var(--accent) } .tabs > input:focus-visible + label { outline: .18rem solid var(--accent) }
.tabs > .snippet { display: none; flex: 0 0 100% } .tabs .snippet pre { margin: 0 } ${[1, 2, 3, 4].map((i) => `.tabs > input:nth-of-type(${i}):checked ~ .snippet:nth-of-type(${i})`).join(", ")} { display: block }
.state { font-weight: 600; white-space: nowrap } .state.passed { color: var(--good) } .state.absent { color: var(--bad) } .state.none { color: var(--unknown) }
details { border: 1px solid var(--line); border-radius: .4rem; margin-top: .4rem; padding: 0 .9rem } details[open] { padding-bottom: .9rem } details:target { border-color: var(--accent); box-shadow: 0 0 0 1px var(--accent) } summary { padding: .6rem 0; cursor: pointer; min-height: 2.75rem } summary::after { content: ""; display: block; clear: both } summary:hover .name { text-decoration: underline } summary .pts { float: right; color: var(--faint); font-variant-numeric: tabular-nums }
summary .name { font-weight: 600; margin-right: .5rem } summary .state { display: inline-block; min-width: 4rem; margin-right: .5rem } details p { margin: .5rem 0 0 } details dl, .facts { display: grid; grid-template-columns: minmax(8rem, max-content) minmax(0, 1fr); gap: .3rem 1.25rem; margin: .75rem 0 0 } dt { color: var(--faint) } dd { margin: 0; overflow-wrap: anywhere }
.signals { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(22rem, 100%), 1fr)); gap: 0 .75rem; align-items: start } details dl.small { display: block; margin-top: .4rem } dl.small :is(dt, dd) { display: inline } dl.small dt::after { content: ":" }
.chips { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: .4rem } .chips li { border: 1px solid var(--edge); border-radius: 1rem; padding: .1rem .8rem; overflow-wrap: anywhere } .chips a { display: inline-block; text-decoration: none; padding: .2rem .4rem }
.faceted { margin-top: 1.25rem } .facets [popover] { inset: 0 auto 0 0; margin: 0; padding: .25rem 1.25rem 0; background: var(--card); color: inherit; border: 0; width: min(26rem, 100vw); height: auto; max-height: none } .facets ::backdrop { background: rgb(0 0 0 / .45) } .facets nav > .quiet { margin: .75rem 0 0 } .facets nav > button:last-child { position: sticky; bottom: 0; width: 100%; margin: 1rem 0; box-shadow: 0 0 0 1rem var(--card) } .facets h2 { font-size: 1rem; margin: 1.1rem 0 .2rem } .facets details { border: 0; padding: 0; margin: 0 } .facets summary { min-height: 0; padding: .2rem 0; font-size: .93rem; color: var(--accent) } .facets ul { list-style: none; margin: 0; padding: 0 } .facets li { display: grid; align-items: baseline; grid-template-columns: minmax(0, 1fr) auto; gap: .75rem; font-size: .93rem } .facets a { padding: .2rem 0; text-decoration: none; overflow-wrap: anywhere } .facets a:hover { text-decoration: underline } .facets a[aria-current] { font-weight: 700 } .facets a[aria-current]::before { content: "\\2713\\a0" } .facets li span { color: var(--faint); font-variant-numeric: tabular-nums; padding: .2rem 0 }
@media (min-width: 56rem) { .faceted td { overflow-wrap: break-word } .faceted:has(> .facets) { display: grid; grid-template-columns: 15rem minmax(0, 1fr); gap: 0 2.5rem } .facets button { display: none } .facets [popover]:not(:popover-open) { display: block; position: static; inset: auto; border: 0; padding: 0; margin: 0; width: auto; height: auto; max-height: none; overflow: visible; background: none } .facets section:first-of-type h2 { margin-top: .75rem } }
.steps { list-style: none; padding: 0; margin-top: .5rem } .page .steps > li { display: grid; grid-template-columns: 4.6rem minmax(0, 1fr); gap: 0 1rem; padding: .7rem 0; border-top: 1px solid var(--line); max-width: 56rem } .steps b { color: var(--good); font-size: 1.2rem; line-height: 1.3; font-variant-numeric: tabular-nums } .steps b small { display: block; font-weight: 400; color: var(--faint); font-size: .8rem } .steps p { margin: .15rem 0 0 } .steps .what { margin: 0; font-weight: 600 } .page .first > li { display: block } .first b small { display: inline; margin-left: .3rem }
.by { margin-top: 1.6rem } .page h3 + .muted { margin-top: .15rem }
.nowrap, td a[href^="/organisations/"] { white-space: nowrap } .tag { display: inline-block; border: 1px solid var(--edge); border-radius: 1rem; padding: .05rem .6rem; font-size: .87rem; margin: -.1rem .3rem -.1rem 0 }
.note, .warn, .done { border-left: .3rem solid var(--edge); padding: .6rem 1rem; margin-top: 1.25rem; background: var(--soft); max-width: 50rem } .warn { border-color: var(--bad) } .done { border-color: var(--good) } .note > :first-child, .warn > :first-child, .done > :first-child { margin-top: 0 } main > .warn:first-child { margin-top: 0 } main > .warn:first-child + * { margin-top: 1.75rem }
.why { min-height: 0; min-width: 1.5rem; height: 1.5rem; padding: 0; border-radius: 50%; font-size: .85rem; line-height: 1.3rem; background: none; color: var(--accent); vertical-align: .1em } .term { background: var(--card); color: var(--ink); border: 1px solid var(--edge); border-radius: .4rem; padding: .7rem 1rem; max-width: min(24rem, 100vw - 2rem); font-size: .95rem; box-shadow: 0 .5rem 1.5rem rgb(0 0 0 / .18) } .term > :first-child { margin-top: 0 }
@supports (position-area: bottom) { .term { inset: auto; margin: .3rem 0; position-area: bottom span-right; position-try-fallbacks: flip-block, flip-inline, flip-block flip-inline } }
.programs { margin-top: 3rem } .beside { display: grid; grid-template-columns: minmax(0, 1fr) 24rem; gap: 0 3rem; align-items: start } .hero .panel .big { font-size: 2.6rem; font-weight: 700; line-height: 1; font-variant-numeric: tabular-nums }
.pager form { display: flex; gap: .5rem; margin: 0; align-items: center } .pager label { display: flex; gap: .5rem; align-items: center; font-weight: 400 } .pager input { width: 5.5rem; margin: 0 } .pager { display: flex; flex-wrap: wrap; gap: .6rem; align-items: center; margin-top: 1.5rem } .actions { display: flex; flex-wrap: wrap; gap: .6rem; margin-top: 1.25rem; align-items: center }
.snippet { position: relative; max-width: 50rem } .snippet pre { padding-right: 6rem } .snippet h3 { font-size: .95rem; color: var(--faint); font-weight: 600; margin-top: 1rem } .snippet .copy { position: absolute; right: .5rem; bottom: .5rem; min-height: 2rem; padding: .15rem .7rem; font-size: .9rem; background: var(--card) }
.map { width: 100%; height: auto; display: block; margin-top: 1rem } .map path { stroke: var(--ground); stroke-width: .5 } .map a:hover path { stroke: var(--ink); stroke-width: 1.5 } .map .l0 { fill: var(--line) } .map .l1 { fill: #a9d3dd } .map .l2 { fill: #5fa9bb } .map .l3 { fill: #23788d } .map .l4 { fill: #0b4656 }
@media (prefers-color-scheme: dark) { .map .l1 { fill: #12404c } .map .l2 { fill: #1f6b7e } .map .l3 { fill: #45a1b5 } .map .l4 { fill: #a6e3f0 } }
.key { display: flex; flex-wrap: wrap; gap: .3rem 1.25rem; list-style: none; padding: 0; font-size: .9rem } .key li { display: flex; align-items: center; gap: .4rem } .key svg.map { width: 1rem; height: 1rem; margin: 0 }
img { max-width: 100%; height: auto } .visually-hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap }
@media (max-width: 52rem) { .hero, .score, .beside { grid-template-columns: minmax(0, 1fr) } .page .matrix > li { grid-template-columns: 7.5rem minmax(0, 1fr) 6.6rem } .page .matrix .cells { grid-column: 1 / -1 } }
@media (max-width: 25rem) { .mark:has(+ form) span { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) } .bar-top > div { gap: .6rem } .bar-top .menu { padding: .55rem .8rem } }
@media (max-width: 47rem) { .cells { grid-template-columns: repeat(3, minmax(0, 1fr)) } .cells a { gap: .25rem; padding: .3rem .2rem } .figure .band { font-size: .66rem; padding: 0 .25rem } .actions { gap: .5rem } .actions :is(button, .button) { padding: .55rem .8rem; font-size: .93rem } .figures { grid-template-columns: repeat(2, minmax(0, 1fr)) } .chart text { font-size: 19px } .chart .upto { display: none } td.bar, th.bar { display: none } details dl, .facts { grid-template-columns: minmax(0, 1fr) } dd { margin-bottom: .4rem } .page .rows > li { grid-template-columns: 3.6rem minmax(0, 1fr); gap: .2rem .9rem } .page .steps > li { grid-template-columns: 3.2rem minmax(0, 1fr); gap: 0 .8rem } .page .buckets li { grid-template-columns: 7.2rem minmax(0, 1fr) 4.2rem } .snippet pre { padding-right: .9rem; padding-bottom: 3rem } .page h2 { margin-top: 2.25rem } .page .rows h3 { margin-top: 0 } th, td { padding-right: .6rem } th.num, td.num { min-width: 0 } tbody th { min-width: 8rem } .words tbody th, .words td { min-width: 0; width: auto } .words tbody th { width: 43% } }
@media (max-width: 47rem) { .table.cards { background: none } .cards :is(table, thead, tbody, th, td), .cards caption { display: block } .cards tr { display: flex; flex-wrap: wrap; gap: .1rem 1.25rem; padding: .6rem 0; border-bottom: 1px solid var(--line) } .cards thead tr { padding: 0 0 .3rem }
  .cards :is(th, td, td.num) { border: 0; padding: 0; min-width: 0; width: auto; text-align: left; white-space: normal } .cards :is(tbody th, .long) { flex: 0 0 100% } .cards td::before { content: attr(data-name) " "; color: var(--faint); font-size: .9rem } .cards thead th:not(:has(.sort)), .cards :is(td:empty, td.bar, .meter) { display: none } .cards .sort { margin: 0 } .one-line { display: block; max-width: 55vw; white-space: nowrap; overflow: hidden; text-overflow: ellipsis } .one-line + br, br:has(+ .one-line) { display: none } }
@media (prefers-reduced-motion: no-preference) { html { scroll-behavior: smooth } }
.reference { width: 100% } .reference > .head { padding: 2.5rem 1.25rem 0 } .reference h1 { font-size: 2.1rem } .reference .page { max-width: none; padding-top: 0 }
.reference nav { padding: 1.25rem 1.25rem 0; font-size: .9375rem } .reference nav ul { list-style: none; margin: 0; padding: 0 }
.reference nav > ul { display: flex; flex-wrap: wrap; gap: .4rem } .reference nav > ul > li > a { display: block; padding: .25rem .7rem; border: 1px solid var(--line); border-radius: 1rem }
.reference nav a { text-decoration: none } .reference nav a[aria-current] { background: var(--soft); font-weight: 700 } .reference nav a:hover { text-decoration: underline } .reference nav ul ul { display: none }
.reference main > section { margin-top: 3.5rem } .reference main > section > h2 { font-size: 1.6rem; border-bottom: 2px solid var(--line); padding-bottom: .4rem } .reference main > section > h2 + p { margin-top: .75rem }
.operation, .schema, .chapter { margin-top: 2.5rem } .page details.schema { margin-top: .4rem } .page details.schema:first-of-type { margin-top: 1.5rem } .schema > div { scroll-margin-top: 3.5rem } .schema summary h2 { display: inline; border: 0 } .operation + .operation { padding-top: 2.5rem; border-top: 1px solid var(--line) } .page .operation h2, .page .schema h2, .page .chapter h3 { font-size: 1.2rem; margin-top: 0 }
.entries { padding-left: 1.1rem } .entries li { margin-top: .2rem } .entries code { margin-left: .3rem; overflow-wrap: anywhere } .entries li:target { background: var(--soft); box-shadow: 0 0 0 .3rem var(--soft), -.5rem 0 0 .1rem var(--accent) }
.page .operation h3 { font-size: .8125rem; letter-spacing: .06em; text-transform: uppercase; color: var(--faint); margin-top: 1.25rem }
.address { display: flex; gap: .6rem; align-items: baseline } .address code { background: none; padding: 0; font-size: 1rem } .method { font: 700 .75rem/1.6 var(--mono); border: 1.5px solid; border-radius: .3rem; padding: 0 .4rem; color: var(--accent) } .method.post { color: var(--post) }
.reference table { table-layout: fixed; max-width: 52rem } :is(.reference, .document) caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) } .reference thead th:first-child { width: 42% } .reference tbody th > code { font-weight: 600; background: none; padding: 0; overflow-wrap: anywhere }
.answers { display: grid; gap: .35rem; margin-top: .5rem } .answers div { display: grid; grid-template-columns: 3.25rem 1fr } .answers dd a { white-space: nowrap } .kinds { list-style: none; padding: 0; margin: .1rem 0 0; font-size: .9375rem }
figcaption { font-size: .8125rem; color: var(--faint) } figure pre { margin-top: .25rem } figure + figure { margin-top: 1rem } .badge { margin-top: .25rem } .badge svg { height: 1.5rem; width: auto } .badges { display: flex; flex-wrap: wrap; gap: 0 1.25rem } .badges figure { margin-top: .5rem } .badges figcaption { display: none }
@media (min-width: 62rem) { .reference { display: grid; grid-template: "nav head" auto "nav main" 1fr / 17rem minmax(0, 1fr) } .reference > .head { grid-area: head; padding: 2.5rem 3rem 0 } .reference .page { grid-area: main; padding: 0 3rem 5rem }
  .reference nav { grid-area: nav; position: sticky; top: 0; max-height: 100vh; overflow-y: auto; padding: 2rem 1rem 2rem 1.5rem; border-right: 1px solid var(--line); font-size: .875rem; background: var(--soft) }
  .reference nav > ul { display: block } .reference nav > ul > li > a { padding: .25rem 0; border: 0; font-weight: 650; margin-top: .75rem } .reference nav ul ul { display: block } .reference nav ul ul a { display: block; padding: .25rem 0 .25rem .6rem; color: var(--ink) } }
@media (min-width: 90rem) { .operation { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 0 3rem } .operation .case { position: sticky; top: 1rem; align-self: start } .operation .case > figure:first-child { margin-top: 0 } }
@media print { :root { color-scheme: light; --ground: #fff; --soft: #fff; --card: #fff; --ink: #000; --faint: #333; --line: #999; --edge: #666; --bar: #0b5a6e; --cap: #7a4a00; --good: #000; --bad: #000;
  --accent: #000; --on-accent: #fff; --post: #000; --string: #000; --number: #000; --word: #000 }
  html { font-size: 9.5pt } .page { max-width: none; padding: 0 } pre { max-height: 22rem; overflow: hidden } .table { overflow: visible } svg, .swatch { print-color-adjust: exact } details::details-content { content-visibility: visible }
  h2, h3, h4 { break-after: avoid } tr, li, figure, .case, .signals > details { break-inside: avoid } thead { display: table-header-group } .skip, .bar-top nav, button, .button, .actions, .facets, form, main form.inline, .select, .selected, .bottom, .programs, .reference nav, .tabs > :is(legend, input, label), .chips bdi + a { display: none } .table.cards th:has(> .select) { padding-left: 0 } .sort::after { content: none } .page .band { color: inherit; background: none; border: 1px solid; padding-top: 0; padding-bottom: 0 } .hero::before { display: none }
  .reference, body { display: block } .operation .case { position: static } .reference main > section { break-before: page } .reference main > section:first-child { break-before: auto } }
`;

export const STYLE: string = RULES.trim()
  .replace(/\s+/g, " ")
  .replace(/ ?([{};,]) ?/g, "$1");

/** The digest in its URL, so that browsers can cache each version forever. */
export const STYLE_VERSION: string = hash("sha256", STYLE).slice(0, 16);

export const STYLE_PATH: string = `/style.css?v=${STYLE_VERSION}`;

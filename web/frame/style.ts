/** The one style of all pages: light and dark, 320 px to wide screens, on paper; no font, script or image from anywhere. */

import { Html } from "../../api-static/html/html.ts";
import { STYLE } from "../../api-static/html/style.ts";

/** Text on its ground has a contrast of at least 4.5:1, edges of controls 3:1 (WCAG 2.2, 1.4.3 and 1.4.11). */
const RULES = `
:root { --edge: #6b7780; --good: #1d6b35; --bad: #a3301a; --unknown: #55616b; --soft-good: #e5f3e9; --soft-bad: #fbe9e4;
  --bar: #0b5a6e; --cap: #7a4a00 }
@media (prefers-color-scheme: dark) { :root { --edge: #8494a0; --good: #8fd19e; --bad: #f2a482; --unknown: #a2afb8;
  --soft-good: #16301e; --soft-bad: #3a1d14; --bar: #74c7da; --cap: #f0b866 } }
.bar-top { border-bottom: 1px solid var(--line) }
.bar-top > div, .bottom > div, .page { max-width: 70rem; margin: 0 auto; padding: 0 1.25rem }
.bar-top > div { display: flex; flex-wrap: wrap; align-items: center; gap: .3rem 1.25rem; padding-top: .7rem; padding-bottom: .7rem }
.mark { display: flex; align-items: center; gap: .5rem; font-weight: 700; font-size: 1.1rem; color: var(--ink); text-decoration: none; letter-spacing: .06em }
.mark svg { width: 1.6rem; height: 1.6rem; display: block }
.bar-top nav ul { display: flex; flex-wrap: wrap; gap: 0 .35rem; list-style: none; margin: 0; padding: 0 }
.bar-top nav a { display: inline-block; padding: .35rem .5rem; color: var(--ink); text-decoration: none; border-radius: .3rem }
.bar-top nav a:hover { text-decoration: underline } .bar-top nav a[aria-current] { font-weight: 700; color: var(--accent) }
.bar-top .own { margin-left: auto }
.page { padding-top: 1.75rem; padding-bottom: 3rem; min-height: 60vh }
.page:focus { outline: none }
.page > h1, header h1 { font-size: clamp(1.6rem, 1.2rem + 1.6vw, 2.2rem); max-width: 50rem; text-wrap: pretty; overflow-wrap: anywhere }
.page h2 { font-size: 1.35rem; margin-top: 2.5rem } .page h3 { font-size: 1.08rem; margin-top: 1.5rem }
.page p, .page li, .page dd { max-width: 46rem } .page .wide p { max-width: none }
.crumbs { margin: 0 0 .75rem; font-size: .9rem } .crumbs a { display: inline-block; padding: .15rem 0; max-width: 100%; overflow-wrap: anywhere }
.muted { color: var(--faint) } .small { font-size: .9rem } .num { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
.bottom { border-top: 1px solid var(--line); background: var(--soft); color: var(--faint); font-size: .9rem }
.bottom > div { padding-top: 1.25rem; padding-bottom: 2rem } .bottom ul { display: flex; flex-wrap: wrap; gap: .2rem 1.25rem; list-style: none; padding: 0; margin: 0 }
.bottom li a { display: inline-block; padding: .2rem 0 }
label, legend { font-weight: 600; display: block } fieldset { border: 0; padding: 0; margin: 1rem 0 0; min-width: 0 }
.hint { display: block; color: var(--faint); font-size: .92rem; margin: .15rem 0 .3rem; font-weight: 400 }
input, select, textarea { font: inherit; color: inherit; background: var(--ground); border: 1px solid var(--edge); border-radius: .35rem; padding: .5rem .65rem;
  max-width: 100%; min-height: 2.75rem }
input[type=checkbox] { min-height: 0; width: 1.35rem; height: 1.35rem; vertical-align: middle; accent-color: var(--accent) }
textarea { width: 100%; min-height: 7rem } input[type=text], input[type=search], input[type=email], input[type=url] { width: 100% }
button, .button { font: inherit; font-weight: 600; padding: .55rem 1.15rem; min-height: 2.75rem; border: 1px solid var(--accent); border-radius: .35rem; cursor: pointer;
  background: var(--accent); color: var(--on-accent); text-decoration: none; display: inline-block }
button.quiet, .button.quiet { background: transparent; color: var(--accent) } button.danger { background: var(--bad); border-color: var(--bad); color: var(--ground) }
button:hover, .button:hover { text-decoration: underline }
main form { margin-top: 1.25rem } main form.inline { margin-top: 0 }
form .row { display: flex; gap: .6rem; flex-wrap: wrap; align-items: end } form .row > .grow { flex: 1 1 16rem; min-width: 0 }
form p { margin: 1rem 0 0 } form p + details { margin-top: 1.25rem } form.inline { display: inline }
.find { margin-top: 1.5rem; padding: 1.25rem; background: var(--soft); border: 1px solid var(--line); border-radius: .6rem; max-width: 50rem }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); gap: .75rem; margin: 1.75rem 0 0; padding: 0; list-style: none }
.figures li { border: 1px solid var(--line); border-radius: .5rem; padding: .8rem 1rem } .figures b { display: block; font-size: 1.7rem; font-variant-numeric: tabular-nums; line-height: 1.2 }
.five { counter-reset: five; list-style: none; padding: 0 } .five li { counter-increment: five; padding-left: 2.4rem; position: relative; margin-top: .7rem }
.five li::before { content: counter(five); position: absolute; left: 0; top: .05rem; width: 1.6rem; height: 1.6rem; border-radius: 50%; background: var(--accent); color: var(--on-accent);
  text-align: center; line-height: 1.6rem; font-weight: 700; font-size: .9rem }
.table { overflow-x: auto; margin-top: 1rem } .table:focus-visible { outline-offset: .2rem }
table { border-collapse: collapse; width: 100%; font-size: .97rem } caption { text-align: left; color: var(--faint); padding-bottom: .4rem }
th, td { text-align: left; vertical-align: top; padding: .5rem .75rem .5rem 0; border-bottom: 1px solid var(--line) } th { font-weight: 600 } td { overflow-wrap: anywhere; min-width: 4rem }
td.num, th.num { text-align: right; overflow-wrap: normal } tbody th { font-weight: 400; min-width: 12rem; overflow-wrap: anywhere }
.rows { list-style: none; padding: 0; margin: 1rem 0 0 } .rows > li { border-top: 1px solid var(--line); padding: .9rem 0; display: grid; grid-template-columns: 4.2rem minmax(0, 1fr); gap: .2rem 1rem; max-width: none }
.rows h2, .rows h3 { font-size: 1.05rem; margin: 0; font-weight: 600; overflow-wrap: anywhere } .rows p { margin: .2rem 0 0 }
.figure { font-size: 1.5rem; font-weight: 700; font-variant-numeric: tabular-nums; line-height: 1.2 } .figure small { display: block; font-size: .8rem; font-weight: 400; color: var(--faint) }
.columns { display: grid; grid-template-columns: minmax(0, 1fr) 17rem; gap: 2rem; align-items: start } .columns > aside { border-left: 1px solid var(--line); padding-left: 1.5rem }
.score { display: flex; flex-wrap: wrap; gap: .5rem 2rem; align-items: end; margin-top: 1.5rem } .score .big { font-size: 4rem; line-height: 1; font-weight: 700; font-variant-numeric: tabular-nums }
.score .of { font-size: 1.1rem; color: var(--faint) } svg.meter { width: 100%; height: 1.1rem; display: block; overflow: visible }
.meter .back, .hist .back { fill: var(--line) } .meter .fill, .hist .fill { fill: var(--bar) } .meter .cap { fill: var(--cap) }
svg.chart { width: 100%; max-width: 44rem; height: auto; display: block; margin-top: 1rem } .chart text { fill: var(--ink); font-size: 12px } .chart .axis { stroke: var(--edge); fill: none } .chart .line { stroke: var(--bar); stroke-width: 2.5; fill: none }
.chart .same { stroke: var(--cap); stroke-width: 1.5; stroke-dasharray: 5 4; fill: none } .chart .fill { fill: var(--bar) } .chart .point { fill: var(--bar) } .chart .area { fill: var(--soft-good) }
.buckets { list-style: none; padding: 0; margin: 1.25rem 0 0; display: grid; gap: .55rem; max-width: 44rem } .buckets li { display: grid; grid-template-columns: 9.5rem minmax(0, 1fr) 4rem; gap: .25rem .9rem; align-items: center; max-width: none }
.cells { display: grid; grid-template-columns: repeat(5, minmax(2.75rem, 3.6rem)); gap: .3rem; list-style: none; padding: 0; margin: 1rem 0 0 } .cells li { margin: 0 }
.cells a { display: block; text-align: center; border: 2px solid var(--edge); border-radius: .35rem; padding: .3rem 0; text-decoration: none; font-weight: 700; color: var(--ink); line-height: 1.15 }
.cells small { display: block; font-weight: 400; font-size: .8rem } .cells .passed { background: var(--soft-good); border-color: var(--good) } .cells .absent { background: var(--soft-bad); border-color: var(--bad) } .cells .none { border-style: dashed }
.cells .none a { border-style: dashed; background: var(--soft) } .cells li.passed, .cells li.absent { border: 0; background: none } .cells .passed a { background: var(--soft-good); border-color: var(--good) } .cells .absent a { background: var(--soft-bad); border-color: var(--bad) }
.state { font-weight: 600; white-space: nowrap } .state.passed { color: var(--good) } .state.absent { color: var(--bad) } .state.none { color: var(--unknown) }
details { border: 1px solid var(--line); border-radius: .4rem; margin-top: .4rem; padding: 0 .9rem } details[open] { padding-bottom: .9rem } summary { padding: .6rem 0; cursor: pointer; min-height: 2.75rem } summary .pts { float: right; color: var(--faint); font-variant-numeric: tabular-nums }
summary .name { font-weight: 600; margin: 0 .5rem } details p { margin: .5rem 0 0 } details dl, .facts { display: grid; grid-template-columns: minmax(8rem, max-content) minmax(0, 1fr); gap: .3rem 1.25rem; margin: .75rem 0 0 } dt { color: var(--faint) } dd { margin: 0; overflow-wrap: anywhere }
.steps { list-style: none; padding: 0; max-width: none } .steps > li { border-left: .3rem solid var(--bar); background: var(--soft); padding: .7rem 1rem; margin-top: .7rem; border-radius: 0 .4rem .4rem 0; max-width: 50rem } .steps > li.ask { border-color: var(--edge) } .steps b { margin-right: .4rem } .steps p { margin: .3rem 0 0 }
.tag { display: inline-block; border: 1px solid var(--edge); border-radius: 1rem; padding: .05rem .6rem; font-size: .87rem; margin: .15rem .3rem .15rem 0 }
.note, .warn, .done { border-left: .3rem solid var(--edge); padding: .6rem 1rem; margin-top: 1.25rem; background: var(--soft); max-width: 50rem } .warn { border-color: var(--bad) } .done { border-color: var(--good) } .note > :first-child, .warn > :first-child, .done > :first-child { margin-top: 0 }
.pager { display: flex; flex-wrap: wrap; gap: .6rem; align-items: center; margin-top: 1.5rem } .actions { display: flex; flex-wrap: wrap; gap: .6rem; margin-top: 1.25rem; align-items: center }
.map { width: 100%; height: auto; display: block; margin-top: 1rem } .map path { stroke: var(--ground); stroke-width: .5 } .map .l0 { fill: var(--line) } .map .l1 { fill: #a9d3dd } .map .l2 { fill: #5fa9bb } .map .l3 { fill: #23788d } .map .l4 { fill: #0b4656 }
@media (prefers-color-scheme: dark) { .map .l1 { fill: #12404c } .map .l2 { fill: #1f6b7e } .map .l3 { fill: #45a1b5 } .map .l4 { fill: #a6e3f0 } }
.key { display: flex; flex-wrap: wrap; gap: .3rem 1.25rem; list-style: none; padding: 0; font-size: .9rem } .key svg { width: 1rem; height: 1rem; vertical-align: -.15rem; margin-right: .35rem }
img { max-width: 100%; height: auto } .visually-hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap }
@media (max-width: 47rem) { .columns { grid-template-columns: minmax(0, 1fr) } .columns > aside { border-left: 0; padding-left: 0 } .bar-top .own { margin-left: 0 } .buckets li { grid-template-columns: minmax(0, 1fr) 4rem } .buckets svg { grid-column: 1 / -1; grid-row: 2 } details dl, .facts { grid-template-columns: minmax(0, 1fr) } dd { margin-bottom: .4rem } }
@media (prefers-reduced-motion: no-preference) { html { scroll-behavior: smooth } }
@media print { .bar-top nav, form, .bottom { display: none } }
`;

/** No space that no rule needs. */
export const SITE_STYLE = new Html(`${STYLE.text}${RULES}`.replace(/\s+/g, " ").replace(/ ?([{};,]) ?/g, "$1"));

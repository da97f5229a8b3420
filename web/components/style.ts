/** The one style of all pages: light and dark, 320 px to wide screens, on paper; no font, script or image from anywhere. */

import { hash } from "node:crypto";
import { STYLE } from "./base-style.ts";

/** Text on its ground has a contrast of at least 4.5:1, edges of controls 3:1 (WCAG 2.2, 1.4.3 and 1.4.11). */
const RULES = `
:root { --edge: #6b7780; --good: #1d6b35; --bad: #a3301a; --unknown: #55616b; --soft-good: #e5f3e9; --soft-bad: #fbe9e4;
  --bar: #0b5a6e; --cap: #7a4a00; --card: #fff }
@media (prefers-color-scheme: dark) { :root { --edge: #8494a0; --good: #8fd19e; --bad: #f2a482; --unknown: #a2afb8;
  --soft-good: #16301e; --soft-bad: #3a1d14; --bar: #74c7da; --cap: #f0b866; --card: #141b20 } }
.bar-top { border-bottom: 1px solid var(--line) }
.bar-top > div, .bottom > div, .page { max-width: 70rem; margin: 0 auto; padding: 0 1.25rem }
.bar-top > div { display: flex; flex-wrap: wrap; align-items: center; gap: .3rem 1.25rem; padding-top: .7rem; padding-bottom: .7rem }
.mark { display: flex; align-items: center; gap: .5rem; font-weight: 700; font-size: 1.1rem; color: var(--ink); text-decoration: none; letter-spacing: .06em }
.mark svg { width: 1.6rem; height: 1.6rem; display: block }
.bar-top nav ul { display: flex; flex-wrap: wrap; gap: 0 .35rem; list-style: none; margin: 0; padding: 0 }
.bar-top nav a { display: inline-block; padding: .35rem .5rem; color: var(--ink); text-decoration: none; border-radius: .3rem }
.bar-top nav a:hover { text-decoration: underline } .bar-top nav a[aria-current] { font-weight: 700; color: var(--accent); box-shadow: inset 0 -.14rem var(--accent); border-radius: 0 }
.bar-top .own { margin-left: auto } .bar-top .own a { padding-right: 0 }
body { min-height: 100vh; display: flex; flex-direction: column } .page { width: 100%; flex: 1 0 auto; padding-top: 1.75rem; padding-bottom: 3.5rem }
.page:focus { outline: none }
.page h1 { font-size: clamp(1.6rem, 1.2rem + 1.6vw, 2.2rem); max-width: 50rem; text-wrap: pretty; overflow-wrap: anywhere; letter-spacing: -.01em }
.page h2 { font-size: 1.35rem; margin-top: 2.75rem } .page h3 { font-size: 1.08rem; margin-top: 1.5rem }
.page p, .page li, .page dd { max-width: 46rem } .page .wide { max-width: none }
.crumbs { margin: 0 0 .75rem; font-size: .9rem } .crumbs a { display: inline-block; padding: .15rem 0; max-width: 100%; overflow-wrap: anywhere }
.muted { color: var(--faint) } .small { font-size: .9rem } .num { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
.bottom { border-top: 1px solid var(--line); background: var(--soft); color: var(--faint); font-size: .9rem; margin: 0; padding: 0 }
.bottom > div { padding-top: 1.25rem; padding-bottom: 2rem } .bottom ul { display: flex; flex-wrap: wrap; gap: .2rem 1.25rem; list-style: none; padding: 0; margin: 0 }
.bottom li a { display: inline-block; padding: .2rem 0 }
label, legend { font-weight: 600; display: block } label + input, label + select, label + textarea { margin-top: .3rem } fieldset { border: 0; padding: 0; margin: 1rem 0 0; min-width: 0 }
.hint { display: block; color: var(--faint); font-size: .92rem; margin: .15rem 0 .3rem; font-weight: 400 }
input, select, textarea { font: inherit; color: inherit; background: var(--ground); border: 1px solid var(--edge); border-radius: .35rem; padding: .5rem .65rem;
  max-width: 100%; min-height: 2.75rem }
input[type=checkbox] { min-height: 0; width: 1.35rem; height: 1.35rem; vertical-align: middle; accent-color: var(--accent); margin-right: .4rem }
textarea { width: 100%; min-height: 7rem } textarea.line { min-height: 4.2rem } input[type=text], input[type=search], input[type=email], input[type=url] { width: 100% } input[type=file] { width: 100%; padding: .4rem .5rem } input.few { max-width: 8rem }
input::file-selector-button { font: inherit; font-weight: 600; color: var(--accent); background: transparent; border: 1px solid var(--accent); border-radius: .3rem; padding: .2rem .7rem; margin-right: .7rem; cursor: pointer }
button, .button { font: inherit; font-weight: 600; padding: .55rem 1.15rem; min-height: 2.75rem; border: 1px solid var(--accent); border-radius: .35rem; cursor: pointer;
  background: var(--accent); color: var(--on-accent); text-decoration: none; display: inline-block }
button.quiet, .button.quiet { background: transparent; color: var(--accent) } button.danger { background: var(--bad); border-color: var(--bad); color: var(--ground) }
td form.row { display: flex; flex-wrap: nowrap; align-items: center; gap: .5rem } td form.row input { min-height: 2rem; min-width: 8rem; padding: .15rem .5rem; margin: 0 } td form.row button { white-space: nowrap } td button, td .button { min-height: 2rem; padding: .2rem .7rem; font-size: .92rem }
button:hover, .button:hover { text-decoration: underline }
main form { margin-top: 1.25rem } main form.inline { margin-top: 0 }
form .row { display: flex; gap: .75rem; flex-wrap: wrap; align-items: end } form .row > .grow { flex: 1 1 16rem; min-width: 0; position: relative } .grow select { width: 100% } details .row > div { flex: 0 1 8rem } details .row > div:last-child { flex-basis: 13rem }
form p { margin: 1.1rem 0 0 } form p + details { margin-top: 1.25rem } form.inline { display: inline } .form { max-width: 50rem }
.panel { margin-top: 1.5rem; padding: 1.1rem 1.4rem 1.4rem; background: var(--card); border: 1px solid var(--line); border-radius: .6rem } .panel > :first-child { margin-top: 0 }
.hero::before { content: ""; position: absolute; inset: 0; z-index: -1; background: var(--soft); box-shadow: 0 0 0 100vmax var(--soft); clip-path: inset(0 -100vmax) } .hero { position: relative; z-index: 1; margin-top: -1.75rem; padding: 2.75rem 0 2.5rem; display: grid; grid-template-columns: minmax(0, 1fr) 21rem; gap: 1.5rem 3rem; align-items: center }
.hero h1 { font-size: clamp(1.9rem, 1.3rem + 2.4vw, 2.9rem) } .hero .panel { margin: 0 } .hero form { margin-top: 1.5rem } .hero form input { background: var(--card) } .hero .panel h2 { font-size: 1.05rem; margin: 0 }
.find { margin-top: 1.5rem; max-width: 50rem }
.suggestions { position: absolute; z-index: 2; left: 0; right: 0; top: 100%; margin: .25rem 0 0; padding: .3rem 0; list-style: none; background: var(--card); border: 1px solid var(--edge); border-radius: .4rem; box-shadow: 0 .5rem 1.5rem rgb(0 0 0 / .18); max-height: 24rem; overflow: auto }
.page .suggestions li { max-width: none; padding: .5rem .8rem; cursor: pointer; overflow-wrap: anywhere } .suggestions small { display: block; color: var(--faint) } .suggestions li:hover, .suggestions li[aria-selected=true] { background: var(--soft); box-shadow: inset .25rem 0 var(--accent) }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); gap: .75rem 2rem; margin: 1.75rem 0 0; padding: 0; list-style: none }
.figures li { border-top: .2rem solid var(--bar); padding: .6rem 0 0 } .figures b { display: block; font-size: 1.9rem; font-variant-numeric: tabular-nums; line-height: 1.2; letter-spacing: -.01em }
.five { counter-reset: five; list-style: none; padding: 0 } .five li { counter-increment: five; padding-left: 2.4rem; position: relative; margin-top: .7rem }
.five li::before { content: counter(five); position: absolute; left: 0; top: .05rem; width: 1.6rem; height: 1.6rem; border-radius: 50%; background: var(--accent); color: var(--on-accent);
  text-align: center; line-height: 1.6rem; font-weight: 700; font-size: .9rem }
.table { overflow-x: auto; margin-top: 1rem; background: linear-gradient(to left, var(--ground) 40%, transparent) right / 2rem 100% no-repeat local, linear-gradient(to left, var(--edge), transparent) right / .4rem 100% no-repeat scroll } .few { max-width: 34rem } .table:focus-visible { outline-offset: .2rem }
table { border-collapse: collapse; width: 100%; font-size: .97rem } caption { text-align: left; color: var(--faint); padding-bottom: .4rem }
th, td { text-align: left; vertical-align: top; padding: .5rem 1.1rem .5rem 0; border-bottom: 1px solid var(--line) } th:last-child, td:last-child { padding-right: 0 } th { font-weight: 600 } thead th { vertical-align: bottom; border-bottom: 2px solid var(--line) } td { overflow-wrap: anywhere; min-width: 4rem }
td.num, th.num { text-align: right; overflow-wrap: normal; width: 1% } th.num { white-space: normal; min-width: 5.5rem } td.bar { min-width: 7rem; width: 24%; vertical-align: middle } tbody th { font-weight: 400; min-width: 12rem; overflow-wrap: anywhere } tbody tr:hover { background: var(--soft) }
button.sort { background: none; border: 0; color: inherit; padding: .2rem 0; min-height: 1.6rem; text-align: inherit; border-radius: .2rem } button.sort::after { content: "\\2195"; color: var(--faint); margin-left: .3rem; font-weight: 400 } [aria-sort=ascending] .sort::after { content: "\\2191"; color: var(--accent) } [aria-sort=descending] .sort::after { content: "\\2193"; color: var(--accent) }
.rows { list-style: none; padding: 0; margin: 1rem 0 0 } .page .rows > li { border-top: 1px solid var(--line); padding: .9rem 0; display: grid; grid-template-columns: 5rem minmax(0, 1fr); gap: .2rem 1.25rem; max-width: none }
.rows h2, .rows h3 { font-size: 1.05rem; margin: 0; font-weight: 600; overflow-wrap: anywhere } .rows p { margin: .2rem 0 0 }
.rows div > .meter { max-width: 24rem; height: .8rem; margin: .3rem 0 } .figure { font-size: 1.5rem; font-weight: 700; font-variant-numeric: tabular-nums; line-height: 1.2 } .figure small { display: block; font-size: .8rem; font-weight: 400; color: var(--faint) } .figure .meter { height: .45rem; margin-top: .35rem }
.score { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 1.5rem 3.5rem; align-items: start; margin-top: 1.75rem } .score > div > :first-child { margin-top: 0 } .score .big { font-size: 4.5rem; line-height: 1; font-weight: 700; font-variant-numeric: tabular-nums; letter-spacing: -.03em }
.score .of { font-size: 1.1rem; color: var(--faint) } .figures + .meter { margin-top: 1.25rem } svg.meter { width: 100%; height: 1.1rem; display: block; overflow: visible } .score > div > .meter { margin-top: .8rem }
.meter .back, .hist .back { fill: var(--line) } .meter .fill, .hist .fill { fill: var(--bar) } .meter .cap { fill: var(--cap) } .meter .reach { fill: none; stroke: var(--ink); stroke-width: 1.5; vector-effect: non-scaling-stroke }
svg.chart { width: 100%; max-width: 44rem; height: auto; display: block; margin-top: 1rem } .chart text { fill: var(--faint); font-size: 12px } .chart .axis { stroke: var(--edge); fill: none } .chart .line { stroke: var(--bar); stroke-width: 2.5; fill: none }
.chart .same { stroke: var(--cap); stroke-width: 1.5; stroke-dasharray: 5 4; fill: none } .chart .fill { fill: var(--bar) } .chart .point { fill: var(--bar) } .chart .area { fill: var(--soft) } .chart .said { fill: var(--ink); font-weight: 600; paint-order: stroke; stroke: var(--ground); stroke-width: 4px }
.buckets { list-style: none; padding: 0; margin: 1.25rem 0 0; display: grid; gap: .55rem; max-width: 44rem } .page .buckets li { display: grid; grid-template-columns: 7.5rem minmax(0, 1fr) 4.2rem; gap: .25rem .9rem; align-items: center; max-width: none; margin: 0 } .hero .buckets { gap: .4rem; margin-top: .8rem } .page .hero .buckets li { grid-template-columns: 7.5rem minmax(0, 1fr) 2.2rem }
.cells { display: grid; grid-template-columns: repeat(5, 3.4rem); gap: .35rem; list-style: none; padding: 0; margin: 0 } .cells li { margin: 0 }
.cells a { display: block; text-align: center; border: 2px solid var(--edge); border-radius: .35rem; padding: .3rem 0; text-decoration: none; font-weight: 700; color: var(--ink); line-height: 1.15 } .cells a:hover { outline: 2px solid var(--accent); outline-offset: 1px }
.cells small { display: block; font-weight: 400; font-size: .8rem } .cells .none a { border-style: dashed; background: var(--soft) } .cells .passed a { background: var(--soft-good); border-color: var(--good) } .cells .absent a { background: var(--soft-bad); border-color: var(--bad) }
.legend { display: flex; flex-wrap: wrap; gap: .2rem 1rem; list-style: none; padding: 0; margin: .75rem 0 0; font-size: .87rem; color: var(--faint); max-width: 18.4rem }
.state { font-weight: 600; white-space: nowrap } .state.passed { color: var(--good) } .state.absent { color: var(--bad) } .state.none { color: var(--unknown) }
details { border: 1px solid var(--line); border-radius: .4rem; margin-top: .4rem; padding: 0 .9rem } details[open] { padding-bottom: .9rem } details:target { border-color: var(--accent); box-shadow: 0 0 0 1px var(--accent) } summary { padding: .6rem 0; cursor: pointer; min-height: 2.75rem } summary::after { content: ""; display: block; clear: both } summary:hover .name { text-decoration: underline } summary .pts { float: right; color: var(--faint); font-variant-numeric: tabular-nums }
summary .name { font-weight: 600; margin-right: .5rem } summary .state { display: inline-block; min-width: 4rem; margin-right: .5rem } details p { margin: .5rem 0 0 } details dl, .facts { display: grid; grid-template-columns: minmax(8rem, max-content) minmax(0, 1fr); gap: .3rem 1.25rem; margin: .75rem 0 0 } dt { color: var(--faint) } dd { margin: 0; overflow-wrap: anywhere }
.steps { list-style: none; padding: 0; margin-top: .5rem } .page .steps > li { display: grid; grid-template-columns: 4.6rem minmax(0, 1fr); gap: 0 1rem; padding: .7rem 0; border-top: 1px solid var(--line); max-width: 56rem } .steps b { color: var(--good); font-size: 1.2rem; line-height: 1.3; font-variant-numeric: tabular-nums } .steps b small { display: block; font-weight: 400; color: var(--faint); font-size: .8rem } .steps p { margin: .15rem 0 0 } .steps .what { margin: 0; font-weight: 600 }
.by { margin-top: 1.6rem } .page h3 + .muted { margin-top: .15rem }
.tag { display: inline-block; border: 1px solid var(--edge); border-radius: 1rem; padding: .05rem .6rem; font-size: .87rem; margin: -.1rem .3rem -.1rem 0 }
.note, .warn, .done { border-left: .3rem solid var(--edge); padding: .6rem 1rem; margin-top: 1.25rem; background: var(--soft); max-width: 50rem } .warn { border-color: var(--bad) } .done { border-color: var(--good) } .note > :first-child, .warn > :first-child, .done > :first-child { margin-top: 0 } main > .warn:first-child { margin-top: 0 } main > .warn:first-child + * { margin-top: 1.75rem }
.pager { display: flex; flex-wrap: wrap; gap: .6rem; align-items: center; margin-top: 1.5rem } .actions { display: flex; flex-wrap: wrap; gap: .6rem; margin-top: 1.25rem; align-items: center }
.snippet { position: relative; max-width: 50rem } .snippet pre { padding-right: 6rem } .snippet h3 { font-size: .95rem; color: var(--faint); font-weight: 600; margin-top: 1rem } .snippet .copy { position: absolute; right: .5rem; bottom: .5rem; min-height: 2rem; padding: .15rem .7rem; font-size: .9rem; background: var(--card) }
.map { width: 100%; height: auto; display: block; margin-top: 1rem } .map path { stroke: var(--ground); stroke-width: .5 } .map .l0 { fill: var(--line) } .map .l1 { fill: #a9d3dd } .map .l2 { fill: #5fa9bb } .map .l3 { fill: #23788d } .map .l4 { fill: #0b4656 }
@media (prefers-color-scheme: dark) { .map .l1 { fill: #12404c } .map .l2 { fill: #1f6b7e } .map .l3 { fill: #45a1b5 } .map .l4 { fill: #a6e3f0 } }
.key { display: flex; flex-wrap: wrap; gap: .3rem 1.25rem; list-style: none; padding: 0; font-size: .9rem } .key li { display: flex; align-items: center; gap: .4rem } .key svg.map { width: 1rem; height: 1rem; margin: 0 }
img { max-width: 100%; height: auto } .visually-hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap }
@media (max-width: 52rem) { .hero, .score { grid-template-columns: minmax(0, 1fr) } .cells { grid-template-columns: repeat(5, minmax(2.75rem, 3.6rem)) } .legend { max-width: none } }
@media (max-width: 54rem) { .bar-top nav:not(.own) { order: 1; width: 100% } .bar-top nav a { padding-left: 0; padding-right: 0 } .bar-top nav ul { gap: 0 1.1rem } }
@media (max-width: 47rem) { .figures { grid-template-columns: repeat(2, minmax(0, 1fr)) } .chart text { font-size: 19px } .chart .upto { display: none } td.bar, th.bar { display: none } details dl, .facts { grid-template-columns: minmax(0, 1fr) } dd { margin-bottom: .4rem } .page .rows > li { grid-template-columns: 3.6rem minmax(0, 1fr); gap: .2rem .9rem } .page .steps > li { grid-template-columns: 3.2rem minmax(0, 1fr); gap: 0 .8rem } .page .buckets li { grid-template-columns: 7.2rem minmax(0, 1fr) 4.2rem } .snippet pre { padding-right: .9rem; padding-bottom: 3rem } .page h2 { margin-top: 2.25rem } .page .rows h2, .page .rows h3 { margin-top: 0 } th, td { padding-right: .6rem } th.num, td.num { min-width: 0 } tbody th { min-width: 8rem } .words tbody th, .words td { min-width: 0; width: auto } .words tbody th { width: 43% } }
@media (prefers-reduced-motion: no-preference) { html { scroll-behavior: smooth } }
@media print { .bar-top nav, form, .bottom, .copy { display: none } .hero::before { display: none } }
`;

/** No space that no rule needs. */
export const SITE_STYLE: string = `${STYLE.text}${RULES}`.replace(/\s+/g, " ").replace(/ ?([{};,]) ?/g, "$1");

/** Names what it says, so that who has it need not ask again. */
export const STYLE_VERSION: string = hash("sha256", SITE_STYLE).slice(0, 16);

export const STYLE_ADDRESS: string = `/style.css?v=${STYLE_VERSION}`;

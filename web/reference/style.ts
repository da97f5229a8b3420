/** Rules that the reference page adds to the look of all pages: contents at the side, and exchanges beside the words. */

import { Html } from "../html.ts";

export const REFERENCE_STYLE = new Html(`
.head { padding: 2.5rem 1.25rem 0 }
.head h1 { font-size: 2.1rem; margin-top: 1rem } .head .lead { margin-top: .4rem } .versions { color: var(--faint); font-size: .9375rem }
nav { padding: 1.25rem 1.25rem 0; font-size: .9375rem } nav ul { list-style: none; margin: 0; padding: 0 }
nav > ul { display: flex; flex-wrap: wrap; gap: .4rem } nav > ul > li > a { display: block; padding: .25rem .7rem; border: 1px solid var(--line);
  border-radius: 1rem } nav a { text-decoration: none } nav a:hover { text-decoration: underline } nav ul ul { display: none }
main { padding: 0 1.25rem 4rem; min-width: 0 }
main > section { margin-top: 3.5rem } main > section > h2 { font-size: 1.6rem; border-bottom: 2px solid var(--line); padding-bottom: .4rem }
main p, main ul, main dl { max-width: 44rem } .operation, .schema, .chapter { margin-top: 2.5rem } .operation + .operation { padding-top: 2.5rem; border-top: 1px solid var(--line) }
h3 { font-size: 1.2rem } h4 { font-size: .8125rem; letter-spacing: .06em; text-transform: uppercase; color: var(--faint); margin-top: 1.25rem }
.address { display: flex; gap: .6rem; align-items: baseline } .address code { background: none; padding: 0; font-size: 1rem }
.method { font: 700 .75rem/1.6 var(--mono); border: 1.5px solid; border-radius: .3rem; padding: 0 .4rem; color: var(--accent) } .method.post { color: var(--post) }
table { border-collapse: collapse; table-layout: fixed; width: 100%; max-width: 52rem } td { overflow-wrap: anywhere } th, td { text-align: left; vertical-align: top; padding: .5rem .75rem .5rem 0; border-bottom: 1px solid var(--line) }
thead th { font-size: .8125rem; color: var(--faint); font-weight: 600 } thead th:first-child { width: 42% } tbody th { font-weight: 400 } tbody th > code { font-weight: 600; background: none; padding: 0; overflow-wrap: anywhere }
.notes { display: block; font-size: .8125rem; color: var(--faint) } .notes code { overflow-wrap: anywhere }
.answers { display: grid; gap: .35rem; margin-top: .5rem } .answers div { display: grid; grid-template-columns: 3.25rem 1fr } .answers dd { margin: 0 } .answers dd a { white-space: nowrap } .kinds { list-style: none; padding: 0; margin: .1rem 0 0; font-size: .9375rem }
figcaption { font-size: .8125rem; color: var(--faint) } figure pre { margin-top: .25rem } figure + figure { margin-top: 1rem } .badge { margin-top: .25rem } .badge svg { height: 1.5rem; width: auto }
.badges { display: flex; flex-wrap: wrap; gap: 0 1.25rem } .badges figure { margin-top: .5rem } .badges figcaption { display: none }
@media (max-width: 40rem) { table { font-size: .9375rem } tbody th > code { font-size: .8125rem } td { padding-right: 0 } }
@media (min-width: 62rem) {
  body { display: grid; grid-template: "nav head" auto "nav main" 1fr / 17rem minmax(0, 1fr) } .head { grid-area: head; padding: 2.5rem 3rem 0 } main { grid-area: main; padding: 0 3rem 5rem }
  nav { grid-area: nav; position: sticky; top: 0; max-height: 100vh; overflow-y: auto; padding: 2rem 1rem 2rem 1.5rem; border-right: 1px solid var(--line); font-size: .875rem; background: var(--soft) }
  nav > ul { display: block } nav > ul > li > a { padding: 0; border: 0; font-weight: 650; margin-top: 1rem } nav ul ul { display: block } nav ul ul a { display: block; padding: .18rem 0 .18rem .6rem; color: var(--ink) } }
@media (min-width: 90rem) { .operation { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 0 3rem } .operation .case { position: sticky; top: 1rem; align-self: start } .operation .case > figure:first-child { margin-top: 0 } }
@media print { nav { display: none } th, td { padding-block: .25rem } body { display: block } .operation .case { position: static } main > section { break-before: page } main > section:first-child { break-before: auto } }
`);

/** The look of our pages: one column, light and dark, on paper too; no font, script or image from anywhere. */

import { Html } from "../html.ts";

/** Pairs of text and ground have a contrast of at least 4.5:1 (WCAG 2.2, 1.4.3). */
export const STYLE = new Html(`
:root { color-scheme: light dark; --ground: #fff; --soft: #f4f6f7; --ink: #1b2228; --faint: #55616b; --line: #d9dfe3;
  --accent: #0b5a6e; --on-accent: #fff; --post: #7a4a00; --string: #1f6b33; --number: #7b2f8c; --word: #a33a12;
  --mono: ui-monospace, "Cascadia Mono", "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
@media (prefers-color-scheme: dark) { :root { --ground: #11161a; --soft: #1a2127; --ink: #e4e9ec; --faint: #a2afb8;
  --line: #2f3a42; --accent: #74c7da; --on-accent: #06222a; --post: #f0b866; --string: #8fd19e; --number: #d9a5e6;
  --word: #f2a482; } }
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
.brand { display: flex; align-items: center; gap: .5rem; margin: 0; font-weight: 700; font-size: 1.1rem; letter-spacing: .06em }
.brand svg { width: 1.6rem; height: 1.6rem; display: block }
.lead { font-size: 1.125rem; color: var(--faint); max-width: 44rem }
.plain { max-width: 44rem; margin: 0 auto; padding: 3rem 1.25rem }
.plain h1 { margin-top: 1.5rem; font-size: 1.9rem }
.plain dl { margin-top: 1.5rem; display: grid; grid-template-columns: max-content 1fr; gap: .35rem 1rem }
.plain dt { color: var(--faint) } .plain dd { margin: 0 }
.links { list-style: none; padding: 0; display: grid; grid-template-columns: repeat(auto-fit, minmax(17rem, 1fr)); gap: .6rem;
  margin-top: 1.5rem }
.links li { border: 1px solid var(--line); border-radius: .5rem; padding: .7rem .9rem }
.links a { font-weight: 600 } .links span { display: block; color: var(--faint) }
footer { margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--line); color: var(--faint); font-size: .875rem }
@media print { :root { color-scheme: light; --ground: #fff; --soft: #fff; --ink: #000; --faint: #333; --line: #999;
  --accent: #000; --on-accent: #fff; --post: #000; --string: #000; --number: #000; --word: #000 }
  body { font-size: 9.5pt } pre { max-height: 22rem; overflow: hidden }
  h2, h3, h4 { break-after: avoid } tr, .case { break-inside: avoid } .skip { display: none } }
`);

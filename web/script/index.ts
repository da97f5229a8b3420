/** The scripts of pages: additions to pages that are whole without them, each where there is something for it to do. */

import { Html, html } from "../html.ts";
import { SORTING } from "./sorting.ts";
import { SUGGESTING } from "./suggesting.ts";

/** Dates, times and figures as the reader's own country writes them; times keep saying their zone. */
const LOCALE = `
  for (const time of document.querySelectorAll("time[datetime]")) {
    const text = time.getAttribute("datetime");
    const at = new Date(text);
    if (10 > text.length || Number.isNaN(at.getTime())) continue;
    const day = { year: "numeric", month: "short", day: "numeric" };
    time.title = time.textContent;
    time.textContent = text.includes("T")
      ? at.toLocaleString(undefined, { ...day, hour: "2-digit", minute: "2-digit", timeZoneName: "short" })
      : at.toLocaleDateString(undefined, { ...day, timeZone: "UTC" });
  }
  for (const figure of document.querySelectorAll(".num, .figures b, data")) {
    const found = /^(-?[0-9,]+)([.][0-9]+)?( %)?$/.exec(figure.textContent);
    if (!found) continue;
    const digits = (found[2] || ".").length - 1;
    const value = Number(found[1].replaceAll(",", "") + (found[2] || ""));
    figure.textContent = value.toLocaleString(undefined, { minimumFractionDigits: digits, maximumFractionDigits: digits }) + (found[3] ? "\\u00a0%" : "");
  }
`;

/** What is jumped to is opened: a signal, from its cell. */
const OPENING = `
  const open = () => {
    const found = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (found instanceof HTMLDetailsElement) found.open = true;
  };
  addEventListener("hashchange", open);
  open();
`;

/** A button that copies a text that is there to be copied. */
const COPYING = `
  if (navigator.clipboard) for (const pre of document.querySelectorAll("pre[data-copy]")) {
    const button = document.createElement("button");
    const text = pre.textContent;
    button.type = "button";
    button.className = "quiet copy";
    button.textContent = "Copy";
    button.setAttribute("aria-label", "Copy " + pre.getAttribute("aria-label"));
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
      button.setAttribute("aria-label", "Copied");
      setTimeout(() => {
        button.textContent = "Copy";
        button.setAttribute("aria-label", "Copy " + pre.getAttribute("aria-label"));
      }, 3000);
    });
    pre.before(button);
  }
`;

/** A check that is under way is looked after until it has ended. */
const WATCHING = `
  const job = document.querySelector("[data-job]");
  const ended = ["succeeded", "failed"];
  const look = async () => {
    const answer = await fetch(job.dataset.job, { headers: { accept: "application/json" } }).catch(() => null);
    if (answer && answer.ok && ended.includes((await answer.json()).status)) location.reload();
    else setTimeout(look, 2000);
  };
  if (job) setTimeout(look, 1000);
`;

interface Addition {
  /** Stands in the markup of every page that it adds to. */
  readonly mark: string;
  readonly text: string;
}

/** Rows are sorted by what they say before a reader's locale changes how it is written. */
const ADDITIONS: readonly Addition[] = [
  { mark: " data-sort", text: SORTING },
  { mark: "<time ", text: LOCALE },
  { mark: "<details", text: OPENING },
  { mark: " data-copy", text: COPYING },
  { mark: " data-job", text: WATCHING },
  { mark: " data-suggest", text: SUGGESTING },
].map(({ mark, text }) => ({ mark, text: bare(text) }));

/** Without the indentation of the source; what fails takes no other with it. */
function bare(text: string): string {
  return `"use strict";(()=>{${text.replace(/\n\s*/g, "\n")}})()`;
}

/** The texts of all, for the policy that allows them. */
export const SCRIPTS: readonly string[] = ADDITIONS.map(({ text }) => text);

const ELEMENTS = ADDITIONS.map(({ mark, text }) => ({ mark, element: html`<script>${new Html(text)}</script>` }));

/** All marks: a page is looked through once, which takes a sixth of looking for each. */
const MARKS = /<time |<details| data-(?:copy|job|sort|suggest)/g;

/** The scripts of a page with this markup. */
export function scriptsOf({ text }: Html): Html[] {
  const found = new Set(text.match(MARKS));
  return ELEMENTS.filter(({ mark }) => found.has(mark)).map(({ element }) => element);
}

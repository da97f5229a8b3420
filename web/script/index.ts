/** The scripts of the site. Every view works without them. A document includes only the scripts that it needs. */

import { Html, html } from "../html.ts";
import { SORTING } from "./sorting.ts";
import { SUGGESTING } from "./suggesting.ts";

/** Formats dates, times and figures for the reader's locale. Times state their zone. */
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
    if (!/^-?[0-9,]+([.][0-9]+)?( %| of [0-9.]+)?$/.test(figure.textContent)) continue;
    figure.textContent = figure.textContent.replaceAll(/-?[0-9,]+([.][0-9]+)?/g, (number, decimals = ".") => {
      const digits = decimals.length - 1;
      const format = { minimumFractionDigits: digits, maximumFractionDigits: digits };
      return Number(number.replaceAll(",", "")).toLocaleString(undefined, format);
    }).replace(" %", "\\u00a0%");
  }
`;

/** Opens the details element that a link targets, for example a signal. */
const OPENING = `
  const open = () => {
    const found = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (found instanceof HTMLDetailsElement) found.open = true;
  };
  addEventListener("hashchange", open);
  open();
`;

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

/** Reloads the view when a running check has ended. */
const WATCHING = `
  const job = document.querySelector("[data-job]");
  const ended = ["succeeded", "failed"];
  const look = async () => {
    const response = await fetch(job.dataset.job, { headers: { accept: "application/json" } }).catch(() => null);
    if (response && response.ok && ended.includes((await response.json()).status)) location.reload();
    else setTimeout(look, 2000);
  };
  if (job) setTimeout(look, 1000);
`;

interface Addition {
  /** A text in the markup of every document that needs the script. */
  readonly mark: string;
  readonly text: string;
}

/** All scripts. Sorting comes before the locale, because it reads figures as the server wrote them. */
const ADDITIONS: readonly Addition[] = [
  { mark: " data-sort", text: SORTING },
  { mark: "<time ", text: LOCALE },
  { mark: "<details", text: OPENING },
  { mark: " data-copy", text: COPYING },
  { mark: " data-job", text: WATCHING },
  { mark: " data-suggest", text: SUGGESTING },
].map(({ mark, text }) => ({ mark, text: minified(text) }));

/** Removes the indentation and wraps the script, so that a failure does not stop the others. */
function minified(text: string): string {
  return `"use strict";(()=>{${text.replace(/\n\s*/g, "\n")}})()`;
}

/** The texts of all scripts, for the Content-Security-Policy. */
export const SCRIPTS: readonly string[] = ADDITIONS.map(({ text }) => text);

const ELEMENTS = ADDITIONS.map(({ mark, text }) => ({ mark, element: html`<script>${new Html(text)}</script>` }));

/** Finds all marks in one pass, which takes a sixth of the time of separate passes. */
const MARKS = /<time |<details| data-(?:copy|job|sort|suggest)/g;

/** Returns the scripts that a document with this markup needs. */
export function scriptsOf({ text }: Html): Html[] {
  const found = new Set(text.match(MARKS));
  return ELEMENTS.filter(({ mark }) => found.has(mark)).map(({ element }) => element);
}

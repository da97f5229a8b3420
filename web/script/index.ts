/** The scripts of the site. Every view works without them. A document includes only the scripts that it needs. */

import { Html, html } from "../html.ts";
import { COMPARING } from "./comparing.ts";
import { SAVING } from "./saving.ts";
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
  for (const figure of document.querySelectorAll(".num:not(:has(data)), .figures b, data")) {
    if (!/^-?[0-9,]+([.][0-9]+)?( %| of [0-9.]+)?$/.test(figure.textContent)) continue;
    figure.textContent = figure.textContent.replaceAll(/-?[0-9,]+([.][0-9]+)?/g, (number, decimals = ".") => {
      const digits = decimals.length - 1;
      const format = { minimumFractionDigits: digits, maximumFractionDigits: digits };
      return Number(number.replaceAll(",", "")).toLocaleString(undefined, format);
    }).replace(" %", "\\u00a0%");
  }
`;

/** Opens the details element that a link targets, for example a signal, and those around it. */
const OPENING = `
  const open = () => {
    const found = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!(found instanceof HTMLDetailsElement)) return;
    for (let each = found; each; each = each.parentElement.closest("details")) each.open = true;
    found.scrollIntoView();
  };
  addEventListener("hashchange", open);
  open();
`;

/** Shows the button to print, and shares a page with the system's dialog if there is one. */
const ACTING = `
  for (const button of document.querySelectorAll("[data-print]")) {
    button.hidden = false;
    button.addEventListener("click", () => print());
  }
  if (navigator.share) for (const link of document.querySelectorAll("[data-share]")) {
    link.addEventListener("click", (event) => {
      event.preventDefault();
      navigator.share({ title: document.title, url: document.querySelector("link[rel=canonical]").href })
        .catch((error) => { if (error.name !== "AbortError") location.assign(link.href); });
    });
  }
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

/** Counts the seconds of a running check, and reloads the view when its state has changed. */
const WATCHING = `
  const job = document.querySelector("[data-job]");
  const look = async () => {
    const response = await fetch(job.dataset.job, { headers: { accept: "application/json" } }).catch(() => null);
    const found = response && response.ok ? await response.json() : null;
    if (found && found.status + " " + found.attempts !== job.dataset.seen) location.reload();
    else setTimeout(look, 2000);
  };
  setTimeout(look, 1000);
  const since = document.querySelector("[data-seconds]");
  const start = Date.now() - 1000 * Number(since.dataset.seconds);
  setInterval(() => { since.textContent = Math.round((Date.now() - start) / 1000) + " seconds"; }, 1000);
`;

/** Starts the check of a dataset that a search did not find. Does not start it if the user returns to change the identifier. */
const STARTING = `
  const [visit] = performance.getEntriesByType("navigation");
  if (visit && visit.type === "navigate" && location.hash === "") document.querySelector("form[data-start]").requestSubmit();
`;

/** Keeps the panel of filters open after a choice, so that users can choose several. */
const FILTERING = `
  const panel = document.getElementById("facets");
  panel.addEventListener("click", (event) => {
    const link = event.target.closest("a");
    if (link && panel.matches(":popover-open")) link.hash = "facets";
  });
  panel.addEventListener("toggle", (event) => {
    if (event.newState === "closed") history.replaceState(null, "", location.pathname + location.search);
  });
  if (location.hash === "#facets" && getComputedStyle(panel).display === "none") panel.showPopover();
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
  { mark: " data-share", text: ACTING },
  { mark: " data-job", text: WATCHING },
  { mark: " data-start", text: STARTING },
  { mark: " data-suggest", text: SUGGESTING },
  { mark: " data-saved", text: SAVING },
  { mark: " data-compare", text: COMPARING },
  { mark: ' id="facets"', text: FILTERING },
].map(({ mark, text }) => ({ mark, text: minified(text) }));

/** Removes the indentation and wraps the script, so that a failure does not stop the others. */
function minified(text: string): string {
  return `"use strict";(()=>{${text.replace(/\n\s*/g, "\n")}})()`;
}

/** The texts of all scripts, for the Content-Security-Policy. */
export const SCRIPTS: readonly string[] = ADDITIONS.map(({ text }) => text);

const ELEMENTS = ADDITIONS.map(({ mark, text }) => ({ mark, element: html`<script>${new Html(text)}</script>` }));

/** Finds all marks in one pass, which takes a sixth of the time of separate passes. */
const MARKS = /<time |<details| id="facets"| data-(?:compare|copy|job|saved|share|sort|start|suggest)/g;

/** Returns the scripts that a document with this markup needs. */
export function scriptsOf({ text }: Html): Html[] {
  const found = new Set(text.match(MARKS));
  return ELEMENTS.filter(({ mark }) => found.has(mark)).map(({ element }) => element);
}

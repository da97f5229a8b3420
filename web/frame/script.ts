/**
 * Additions of a script to pages that are whole without it: times as the reader's country writes them, a signal that opens
 * when it is jumped to, a button that copies, a check that is looked after until it has ended.
 */

import { Html } from "../../api-static/html/html.ts";

export const SITE_SCRIPT = new Html(`"use strict";
(() => {
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
  const open = () => {
    const found = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (found instanceof HTMLDetailsElement) found.open = true;
  };
  addEventListener("hashchange", open);
  open();
  if (navigator.clipboard) for (const pre of document.querySelectorAll("pre[data-copy]")) {
    const button = document.createElement("button");
    const text = pre.textContent;
    button.type = "button";
    button.className = "quiet";
    button.textContent = "Copy";
    button.setAttribute("aria-label", "Copy " + pre.getAttribute("aria-label"));
    button.addEventListener("click", async () => { await navigator.clipboard.writeText(text); button.textContent = "Copied"; });
    pre.after(button);
  }
  const job = document.querySelector("[data-job]");
  const ended = ["succeeded", "failed"];
  const look = async () => {
    const answer = await fetch(job.dataset.job, { headers: { accept: "application/json" } }).catch(() => null);
    if (answer && answer.ok && ended.includes((await answer.json()).status)) location.reload();
    else setTimeout(look, 2000);
  };
  if (job) setTimeout(look, 1000);
})();
`);

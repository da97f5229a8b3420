/** Links on the pages of the report and the validation. They are relative, so that they also work in copies of the release. */

import { DESCRIPTORS } from "../../schemas/public/descriptors.ts";
import { VALIDATION_PAGE } from "../../schemas/public/validation.ts";
import { type Html, html } from "../html.ts";

/** The relative path of the start page of the site, or of a copy of its files. */
export const HOME = "../../";

const LINKS = [
  { path: DESCRIPTORS.report, name: "Report" },
  { path: VALIDATION_PAGE, name: "Validation" },
  { path: "release.json", name: "Receipt: inputs and digests" },
  { path: "manifest.ndjson", name: "All files" },
  { path: DESCRIPTORS.datapackage, name: "Columns of the tables" },
  { path: `${HOME}docs`, name: "API" },
];

/** Returns the links above a page: to the page of its release on the site, or on a copy of the site, and to all releases. */
export function releaseCrumbs(version: string, digest: string): Html {
  return html`<p class="crumbs"><a href="${HOME}releases">Releases and downloads</a> › <a href="${HOME}history/${digest.replace(":", "-")}">Release ${version}</a></p>`;
}

const DAY = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "UTC" });

/** Returns a date or a time in UTC in the format in which the site shows days. The pages have no script that does it. */
export function dayElement(text: string): Html {
  return html`<time datetime="${text}">${DAY.format(new Date(text))}</time>`;
}

/** Returns links to the files of the release and to pages of its server, without the page itself, whose path is `own`. */
export function releaseLinks(own: string): Html {
  const others = LINKS.filter(({ path }) => path !== own);
  return html`<nav aria-label="Release"><ul class="chips">${others.map(({ path, name }) => html`<li><a href="${path}">${name}</a></li>`)}</ul></nav>`;
}

/** Returns the relative URL of a dataset. It leads to the page of the dataset on the site, or to its record in a copy. */
export function datasetHref(id: string): string {
  return `${HOME}records/${id}`;
}

/**
 * The files of a static site that are found by DOI: badges, and pages that lead to the dataset. They are for landing
 * pages that know only their DOI.
 */

import { posix } from "node:path";
import { html } from "../../web/html.ts";
import { doiFolder } from "./file-names.ts";

interface Named {
  readonly id: string;
  readonly doi: string | null;
}

/** A file that is found by DOI. It is a copy of another file of the site, or has a text of its own. */
export type DoiFile = { readonly file: string } & ({ readonly copyOf: string } | { readonly text: string });

/**
 * Returns the files of all DOIs. If several datasets share a DOI, the files are those of the dataset with the smallest
 * id. `url` is the public URL of the site.
 */
export function doiFiles(datasets: readonly Named[], url: URL): DoiFile[] {
  const byFolder = new Map<string, string>();
  for (const { id, doi } of datasets.toSorted((one, other) => (one.id < other.id ? -1 : 1))) {
    const folder = doi === null ? null : doiFolder(doi);
    if (folder !== null && !byFolder.has(folder)) byFolder.set(folder, id);
  }
  return [...byFolder].flatMap(([folder, id]) => [
    { file: `${folder}/badge.svg`, copyOf: `widgets/datasets/${id}/badge.svg` },
    { file: `${folder}/badge.json`, copyOf: `widgets/datasets/${id}/badge.json` },
    { file: `${folder}/dataset.html`, text: forward(folder, id, url) },
  ]);
}

/** Returns a page that leads people to the dataset, and programs to its score as JSON (FAIR Signposting). */
function forward(folder: string, id: string, { href }: URL): string {
  const page = posix.relative(folder, `datasets/${id}.html`);
  return `${
    html`<!doctype html>
<html lang="en-GB">
<head>
<meta charset="utf-8">
<title>SHARE score of a dataset</title>
<meta http-equiv="refresh" content="0; url=${page}">
<link rel="canonical" href="${href}datasets/${id}.html">
<link rel="describedby" type="application/json" href="${href}records/${id}.json">
</head>
<body><main><h1>SHARE score</h1><p><a href="${page}">The score of this dataset</a></p></main></body>
</html>`.text
  }\n`;
}

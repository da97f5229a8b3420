/** Links between pages that have a version: who reads under one stays under it, and is told of it. */

import { PUBLIC_VERSIONS } from "../../schemas/public/rubric.ts";
import { type Html, html } from "../html.ts";

const [CURRENT] = PUBLIC_VERSIONS;

/** The address under this version. The first is asked for without naming it; `path` may end in a fragment, and has no query. */
export function underVersion(path: string, version: string): string {
  if (version === CURRENT) return path;
  const [place = "", fragment] = path.split("#");
  return `${place}?rubric=${version}${fragment === undefined ? "" : `#${fragment}`}`;
}

/** Says that a page is of an older version, and leads to the same of the current one, or what `words` say. */
export function olderVersion(version: string, path: string, words = "The same"): Html | null {
  if (version === CURRENT) return null;
  return html`<p class="note">This is SHARE ${version}, the older version. <a href="${path}">${words} under SHARE ${CURRENT}</a></p>`;
}
